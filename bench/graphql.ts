import { load, loadAt } from './loads.ts';
import { headersSent, progress, server } from './server-under-test.ts';
import type { Table } from './table.ts';

/** What gh asks GraphQL for, where 1000 pulls are stored. */
export async function measureGraphql(table: Table): Promise<void> {
  progress('GraphQL');
  // Each has another URL, which no cache has.
  const rest = await load('GET', '/pulls', { query: (serial) => `per_page=30&serial=${serial}` });
  const list = await ask(listQuery);
  table.add(
    'gh pr list of 1000 pulls, against REST',
    list.loaded.cpuMicroseconds / rest.loaded.cpuMicroseconds,
    'times the CPU',
    'at most 3',
    3,
  );
  const view = await ask(viewQuery);
  const milliseconds = view.loaded.cpuMicroseconds / 1000;
  table.add('gh pr view', milliseconds, 'ms of the CPU', 'at most 5', 5);
}

async function ask(query: string): ReturnType<typeof loadAt> {
  const url = new URL(`${server.url}/api/graphql`);
  const body = JSON.stringify({ query, variables: { owner: server.login, name: 'bench' } });
  const response = await fetch(url, { method: 'POST', headers: headersSent, body });
  const answer: unknown = await response.json();
  if (typeof answer !== 'object' || answer === null || 'errors' in answer) {
    throw new Error(`GraphQL answered ${JSON.stringify(answer)}`);
  }
  return loadAt('POST', url, server.pid, { body: () => body });
}

const listQuery = `query ($owner: String!, $name: String!) {
  repository(owner: $owner, name: $name) {
    pullRequests(first: 30, states: [OPEN], orderBy: { field: CREATED_AT, direction: DESC }) {
      totalCount
      pageInfo { hasNextPage endCursor }
      nodes {
        number title state url createdAt headRefName isDraft isCrossRepository
        headRepositoryOwner { id login ... on User { name } }
      }
    }
  }
}`;

const viewQuery = `query ($owner: String!, $name: String!) {
  repository(owner: $owner, name: $name) {
    pullRequest(number: 1) {
      id number title state url body createdAt isDraft isCrossRepository maintainerCanModify mergeable
      mergeStateStatus reviewDecision additions deletions baseRefName headRefName
      author { login ... on User { id name } }
      headRepositoryOwner { id login ... on User { name } }
      assignees(first: 100) { nodes { id login name } totalCount }
      labels(first: 100) { nodes { id name description color } totalCount }
      milestone { number title description dueOn }
      projectCards(first: 100) { nodes { project { name } column { name } } totalCount }
      reviewRequests(first: 100) {
        nodes { requestedReviewer { __typename ... on User { login } ... on Team { slug name } } }
      }
      reviews(first: 100) {
        nodes { id author { login } authorAssociation submittedAt body state reactionGroups { content users { totalCount } } }
        pageInfo { hasNextPage endCursor }
        totalCount
      }
      comments(last: 1) {
        nodes { author { login } authorAssociation body createdAt includesCreatedEdit isMinimized minimizedReason }
        totalCount
      }
      reactionGroups { content users { totalCount } }
      commits { totalCount }
      statusCheckRollup: commits(last: 1) {
        nodes { commit { statusCheckRollup { contexts(first: 100) {
          nodes { __typename ... on StatusContext { context state targetUrl createdAt } ... on CheckRun { name status conclusion } }
          pageInfo { hasNextPage endCursor }
        } } } }
      }
    }
  }
}`;
