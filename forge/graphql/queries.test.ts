import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';

import { nodeId } from '../json/node-id.ts';
import { commitFiles, repositoryId } from '../testing/commits.ts';
import { openPull, untilChecked } from '../testing/pull-fixture.ts';
import {
  startTestForge,
  type TestForge,
  type TestResponse,
  type TestUser,
} from '../testing/test-forge.ts';

describe('queries', () => {
  let forge: TestForge;
  let owner: TestUser;
  let stranger: TestUser;

  before(async () => {
    forge = await startTestForge();
    owner = await forge.user('owner');
    stranger = await forge.user('stranger');
  });
  after(() => forge.close());

  const ask = (
    user: TestUser,
    query: string,
    variables: Record<string, unknown> = {},
  ): Promise<TestResponse> => user.post('/api/graphql', { query, variables });

  const data = async (
    query: string,
    variables: Record<string, unknown> = {},
    // oxlint-disable-next-line typescript/no-explicit-any -- tests reach into answers of every shape
  ): Promise<any> => {
    const { body } = await ask(owner, query, variables);
    assert.equal(body.errors, undefined, JSON.stringify(body.errors));
    return body.data;
  };

  const named = (name: string): { owner: string; name: string } => {
    const [login = '', repository = ''] = name.split('/');
    return { owner: login, name: repository };
  };

  test('a hidden repository is as unknown as one that does not exist', async () => {
    const name = await forge.repository(owner, { private: true });
    const query =
      'query ($owner: String!, $name: String!) { repository(owner: $owner, name: $name) { id } }';
    for (const repository of [name, 'owner/none', 'none/none']) {
      const { status, body } = await ask(stranger, query, named(repository));
      assert.equal(status, 200);
      assert.deepEqual(body, {
        data: { repository: null },
        errors: [
          {
            type: 'NOT_FOUND',
            path: ['repository'],
            locations: [{ line: 1, column: 43 }],
            message: `Could not resolve to a Repository with the name '${repository}'.`,
          },
        ],
      });
    }
    const id = nodeId('Repository', await repositoryId(forge, name));
    const nodes = await ask(stranger, 'query ($ids: [ID!]!) { nodes(ids: $ids) { id } }', {
      ids: [id, nodeId('User', owner.account.id), 'x'],
    });
    assert.deepEqual(nodes.body.data.nodes, [null, { id: nodeId('User', owner.account.id) }, null]);
    assert.deepEqual(
      nodes.body.errors.map(({ type, path }: { type: string; path: unknown }) => [type, path]),
      [
        ['NOT_FOUND', ['nodes', 0]],
        ['NOT_FOUND', ['nodes', 2]],
      ],
    );
  });

  test('a token without scopes sees public repositories alone', async () => {
    const narrow = await forge.withScopes(owner, []);
    const open = await forge.repository(owner);
    const hidden = await forge.repository(owner, { private: true });
    const query =
      '{ viewer { login repositories(first: 100) { totalCount nodes { nameWithOwner isPrivate } } } }';
    const seen = async (user: TestUser): Promise<string[]> =>
      (await ask(user, query)).body.data.viewer.repositories.nodes.map(
        ({ nameWithOwner }: { nameWithOwner: string }) => nameWithOwner,
      );
    assert.ok((await seen(owner)).includes(hidden));
    const shown = await seen(narrow);
    assert.deepEqual([shown.includes(open), shown.includes(hidden)], [true, false]);
    const single = await ask(
      narrow,
      `{ repository(owner: "owner", name: "${named(hidden).name}") { id } }`,
    );
    assert.equal(single.body.errors[0].type, 'NOT_FOUND');
  });

  test('the languages of a repository are read once, whatever their aliases', async (context) => {
    const name = await forge.repository(owner);
    await commitFiles(forge, name, 'main', { 'a.ts': 'let a;', 'b.go': 'x' });
    let trees = 0;
    const repository = forge.git.repository.bind(forge.git);
    context.mock.method(forge.git, 'repository', (id: number) => {
      const real = repository(id);
      const readTree: typeof real.readTree = (...input) => {
        trees += 1;
        return real.readTree(...input);
      };
      return { ...real, readTree };
    });
    const aliases = Array.from(
      { length: 20 },
      (_, index) => `l${index}: languages(first: 5) {
      totalSize nodes { name } }`,
    );
    const found = await data(
      `query ($owner: String!, $name: String!) { repository(owner: $owner, name: $name) { ${aliases.join(' ')} } }`,
      named(name),
    );
    assert.deepEqual(
      [found.repository.l19.totalSize, found.repository.l0.nodes.length, trees],
      [7, 2, 1],
    );
  });

  test('a repository is described as in REST, with the same ids', async () => {
    const name = await forge.repository(owner, { init: true });
    await owner.patch(`/repos/${name}`, {
      description: 'Things',
      homepage: 'https://example.test',
    });
    await owner.put(`/repos/${name}/topics`, { names: ['one', 'two'] });
    const rest = (await owner.get(`/repos/${name}`)).body;
    const { repository } = await data(
      `query Info($owner: String!, $name: String!) {
        repository(owner: $owner, name: $name) {
          ...fields
          owner { id login ... on User { name } }
          defaultBranchRef { name target { oid ... on Commit { message author { user { login } } } } }
          repositoryTopics(first: 10) { nodes { topic { name } } }
          primaryLanguage { name } licenseInfo { key } parent { id } mergeQueue { id }
          languages(first: 2) { totalCount edges { size node { name } } }
        }
      }
      fragment fields on Repository {
        id databaseId name nameWithOwner description homepageUrl url isPrivate isFork isArchived isEmpty
        hasIssuesEnabled hasWikiEnabled mergeCommitAllowed squashMergeAllowed rebaseMergeAllowed
        deleteBranchOnMerge viewerPermission viewerCanAdminister visibility stargazerCount createdAt __typename
      }`,
      named(name),
    );
    assert.equal(repository.id, rest.node_id);
    assert.equal(repository.databaseId, rest.id);
    assert.equal(repository.url, rest.html_url);
    assert.equal(repository.createdAt, rest.created_at);
    assert.equal(repository.description, 'Things');
    assert.equal(repository.owner.id, rest.owner.node_id);
    assert.equal(repository.defaultBranchRef.name, rest.default_branch);
    assert.equal(repository.viewerPermission, 'ADMIN');
    assert.deepEqual(
      repository.repositoryTopics.nodes.map((node: { topic: { name: string } }) => node.topic.name),
      ['one', 'two'],
    );
    assert.deepEqual(
      [repository.primaryLanguage, repository.parent, repository.languages.totalCount],
      [null, null, 0],
    );
    // In the order in which they were asked for, which gh relies on.
    assert.deepEqual(Object.keys(repository).slice(0, 4), [
      'id',
      'databaseId',
      'name',
      'nameWithOwner',
    ]);
  });

  test('a renamed repository is found by its old name, unless that is excluded', async () => {
    const name = await forge.repository(owner);
    await owner.patch(`/repos/${name}`, { name: 'renamed' });
    const old = named(name);
    const query =
      'query ($owner: String!, $name: String!, $f: Boolean) { repository(owner: $owner, name: $name, followRenames: $f) { name } }';
    assert.equal((await data(query, old)).repository.name, 'renamed');
    assert.equal((await ask(owner, query, { ...old, f: false })).body.errors[0].type, 'NOT_FOUND');
  });

  test('connections need bounds only for their items, and refuse those out of range', async () => {
    const name = await forge.repository(owner);
    const connection = (field: string): string =>
      `{ repository(owner: "owner", name: "${named(name).name}") { ${field} } }`;
    assert.equal((await data(connection('issues { totalCount }'))).repository.issues.totalCount, 0);
    for (const [field, type] of [
      ['issues { nodes { id } }', 'MISSING_PAGINATION_BOUNDARIES'],
      ['issues(first: 101) { nodes { id } }', 'EXCESSIVE_PAGINATION'],
      ['issues(first: 1, after: "x") { nodes { id } }', 'INVALID_CURSOR_ARGUMENTS'],
    ] as const) {
      const { body } = await ask(owner, connection(field));
      assert.equal(body.errors[0].type, type);
      assert.deepEqual(body.errors[0].path.slice(0, 2), ['repository', 'issues']);
    }
    const none = await data(connection('issues(first: 0) { nodes { id } totalCount }'));
    assert.deepEqual(none.repository.issues.nodes, []);
  });

  test('lists of texts are refused where they are too long', async () => {
    const name = await forge.repository(owner);
    const { body: issue } = await owner.post(`/repos/${name}/issues`, { title: 'A' });
    const many = Array.from({ length: 101 }, () => 'OPEN');
    const on = `repository(owner: "owner", name: "${named(name).name}")`;
    for (const [query, title] of [
      ['query ($l: [ID!]!) { nodes(ids: $l) { id } }', 'node ids'],
      [`query ($l: [String!]) { ${on} { issues(first: 1, labels: $l) { totalCount } } }`, 'labels'],
      [
        `query ($l: [PullRequestState!]) { ${on} { pullRequests(first: 1, states: $l) { totalCount } } }`,
        'states',
      ],
      [
        `mutation ($l: [ID!]!) { addLabelsToLabelable(input: { labelableId: "${issue.node_id}", labelIds: $l }) { clientMutationId } }`,
        'labelIds',
      ],
      [
        `mutation ($l: [ID!]!) { addAssigneesToAssignable(input: { assignableId: "${issue.node_id}", assigneeIds: $l }) { clientMutationId } }`,
        'assigneeIds',
      ],
    ] as const) {
      const { body } = await ask(owner, query, { l: many });
      const [error] = body.errors;
      assert.equal(error.type, 'ARGUMENT_LIMIT', query);
      assert.equal(error.message, `You may not provide more than 100 ${title}; you provided 101.`);
    }
  });

  test('cursors keep their position while a list grows', async () => {
    const name = await forge.repository(owner);
    for (let number = 1; number <= 5; number += 1) {
      await owner.post(`/repos/${name}/issues`, { title: `Issue ${number}` });
    }
    const query = `query ($owner: String!, $name: String!, $first: Int, $after: String, $last: Int, $before: String) {
      repository(owner: $owner, name: $name) {
        issues(first: $first, after: $after, last: $last, before: $before,
          orderBy: {field: CREATED_AT, direction: DESC}) {
          edges { cursor node { number } } totalCount
          pageInfo { hasNextPage hasPreviousPage startCursor endCursor }
        }
      }
    }`;
    const read = async (variables: Record<string, unknown>): Promise<any> =>
      // oxlint-disable-line
      (await data(query, { ...named(name), ...variables })).repository.issues;
    const numbers = (page: { edges: { node: { number: number } }[] }): number[] =>
      page.edges.map(({ node }) => node.number);
    const first = await read({ first: 2 });
    assert.deepEqual(numbers(first), [5, 4]);
    assert.deepEqual(
      [first.pageInfo.hasNextPage, first.pageInfo.hasPreviousPage, first.totalCount],
      [true, false, 5],
    );
    await owner.post(`/repos/${name}/issues`, { title: 'Newer' });
    const second = await read({ first: 2, after: first.pageInfo.endCursor });
    assert.deepEqual(numbers(second), [3, 2]);
    const third = await read({ first: 2, after: second.pageInfo.endCursor });
    assert.deepEqual([numbers(third), third.pageInfo.hasNextPage], [[1], false]);
    const last = await read({ last: 2 });
    assert.deepEqual([numbers(last), last.pageInfo.hasPreviousPage], [[2, 1], true]);
    const previous = await read({ last: 2, before: last.pageInfo.startCursor });
    assert.deepEqual(numbers(previous), [4, 3]);
    const empty = await read({ first: 2, after: third.pageInfo.endCursor });
    assert.deepEqual([numbers(empty), empty.pageInfo.endCursor], [[], null]);
  });

  test('rateLimit tells the cost, which counts against the limit', async () => {
    const query =
      '{ rateLimit { limit cost used remaining nodeCount resetAt } viewer { repositories(first: 100) { nodes { issues(first: 1) { totalCount } forks(first: 1) { totalCount } } } } }';
    const { rateLimit } = await data(query);
    assert.deepEqual([rateLimit.cost, rateLimit.nodeCount], [2, 300]);
    const { rateLimit: next } = await data(query);
    assert.equal(next.used, rateLimit.used + 2);
    assert.equal(next.limit, next.used + next.remaining);
  });

  test('types can be looked up, as clients detect features by it', async () => {
    const detected = await data(
      '{ Issue: __type(name: "Issue") { fields(includeDeprecated: true) { name } } None: __type(name: "Nope") { name } schema: __schema { queryType { name } } }',
    );
    const fields = detected.Issue.fields.map(({ name }: { name: string }) => name);
    assert.ok(fields.includes('stateReason'));
    assert.deepEqual([detected.None, detected.schema.queryType.name], [null, 'Query']);
  });

  test('refs, objects and histories are those of git', async () => {
    const name = await forge.repository(owner);
    const first = await commitFiles(
      forge,
      name,
      'main',
      { 'a/b.txt': 'text\n' },
      { message: 'One\n\nBody' },
    );
    const second = await commitFiles(forge, name, 'main', { 'c.txt': 'c\n' }, { message: 'Two' });
    await commitFiles(forge, name, 'feature/x', { 'd.txt': 'd\n' }, { parents: [second] });
    const { repository } = await data(
      `query ($owner: String!, $name: String!, $oid: GitObjectID) {
        repository(owner: $owner, name: $name) {
          ref(qualifiedName: "refs/heads/feature/x") { name prefix target { oid } }
          none: ref(qualifiedName: "nope") { name }
          refs(refPrefix: "refs/heads/", first: 10, orderBy: {field: ALPHABETICAL, direction: DESC}) { totalCount nodes { name } }
          byOid: object(oid: $oid) { __typename ... on Commit { messageHeadline messageBody additions changedFiles } }
          file: object(expression: "main:a/b.txt") { ... on Blob { text byteSize isBinary } }
          tree: object(expression: "main:") { ... on Tree { entries { name type } } }
          missing: object(expression: "main:nope") { oid }
          main: ref(qualifiedName: "main") { target { ... on Commit {
            history(first: 1) { totalCount pageInfo { hasNextPage endCursor } nodes { oid } } } } }
        }
      }`,
      { ...named(name), oid: first },
    );
    assert.deepEqual([repository.ref.name, repository.ref.prefix], ['feature/x', 'refs/heads/']);
    assert.equal(repository.none, null);
    assert.deepEqual(
      repository.refs.nodes.map((ref: { name: string }) => ref.name),
      ['main', 'feature/x'],
    );
    assert.deepEqual(repository.byOid, {
      __typename: 'Commit',
      messageHeadline: 'One',
      messageBody: 'Body',
      additions: 1,
      changedFiles: 1,
    });
    assert.deepEqual(repository.file, { text: 'text\n', byteSize: 5, isBinary: false });
    assert.deepEqual(repository.tree.entries, [
      { name: 'a', type: 'tree' },
      { name: 'c.txt', type: 'blob' },
    ]);
    assert.equal(repository.missing, null);
    const { history } = repository.main.target;
    assert.deepEqual(
      [history.totalCount, history.nodes, history.pageInfo.hasNextPage],
      [2, [{ oid: second }], true],
    );
    const next = await data(
      `query ($owner: String!, $name: String!, $after: String) { repository(owner: $owner, name: $name) {
        object(expression: "main") { ... on Commit { history(first: 5, after: $after) { nodes { oid } pageInfo { hasNextPage } } } } } }`,
      { ...named(name), after: history.pageInfo.endCursor },
    );
    assert.deepEqual(next.repository.object.history, {
      nodes: [{ oid: first }],
      pageInfo: { hasNextPage: false },
    });
  });

  test('a pull is shown with its checks, reviews, files and state', async () => {
    const { name, number, head, path, response } = await openPull(forge, owner, {
      body: { body: 'Fixes #2' },
    });
    const issue = await owner.post(`/repos/${name}/issues`, { title: 'Broken', labels: ['bug'] });
    await owner.put(`/repos/${name}/collaborators/stranger`, { permission: 'push' });
    const [invitation] = (await stranger.get('/user/repository_invitations')).body;
    await stranger.patch(`/user/repository_invitations/${invitation.id}`);
    await owner.post(`/repos/${name}/statuses/${head}`, { state: 'success', context: 'ci' });
    await owner.post(`/repos/${name}/statuses/${head}`, { state: 'pending', context: 'slow' });
    await owner.post(`${path}/requested_reviewers`, { reviewers: ['stranger'] });
    await untilChecked(forge, owner, path);
    const query = `query ($owner: String!, $name: String!, $number: Int!, $none: ID!) {
      repository(owner: $owner, name: $name) {
        pullRequest(number: $number) {
          id number state isDraft mergeable mergeStateStatus reviewDecision additions deletions changedFiles
          isCrossRepository baseRefName headRefName headRefOid url body
          author { login } headRepository { name } headRepositoryOwner { login ... on User { id } }
          reviewRequests(first: 10) { nodes { requestedReviewer { __typename ... on User { login } } } }
          commits(last: 1) { totalCount nodes { commit { oid statusCheckRollup { state
            contexts(first: 10) { checkRunCount statusContextCount nodes { ... on StatusContext { context state isRequired(pullRequestNumber: $number) ofNone: isRequired(pullRequestId: $none) } } } } } } }
          files(first: 10) { nodes { path additions changeType } }
          reviews(first: 10) { totalCount nodes { state author { login } } }
          latestReviews(first: 10) { nodes { state } }
          closingIssuesReferences(first: 5) { nodes { number } }
          reactionGroups { content users { totalCount } }
          projectItems(first: 1) { totalCount } autoMergeRequest { mergeMethod } mergeCommit { oid }
        }
      }
    }`;
    const none = nodeId('PullRequest', 1e20);
    const opened = (await data(query, { ...named(name), number, none })).repository.pullRequest;
    assert.deepEqual(
      [opened.id, opened.state, opened.mergeable, opened.mergeStateStatus, opened.reviewDecision],
      [response.body.node_id, 'OPEN', 'MERGEABLE', 'UNSTABLE', null],
    );
    assert.deepEqual(opened.reviewRequests.nodes, [
      { requestedReviewer: { __typename: 'User', login: 'stranger' } },
    ]);
    const [{ commit }] = opened.commits.nodes;
    assert.equal(commit.oid, head);
    assert.equal(commit.statusCheckRollup.state, 'PENDING');
    assert.deepEqual(commit.statusCheckRollup.contexts.nodes, [
      { context: 'ci', state: 'SUCCESS', isRequired: false, ofNone: false },
      { context: 'slow', state: 'PENDING', isRequired: false, ofNone: false },
    ]);
    assert.deepEqual(opened.files.nodes, [{ path: 'new.txt', additions: 1, changeType: 'ADDED' }]);
    assert.deepEqual(opened.closingIssuesReferences.nodes, [{ number: issue.body.number }]);
    assert.equal(opened.reactionGroups.length, 8);

    await stranger.post(`${path}/reviews`, { event: 'APPROVE' });
    await owner.post(`/repos/${name}/statuses/${head}`, { state: 'success', context: 'slow' });
    const approved = (await data(query, { ...named(name), number, none })).repository.pullRequest;
    assert.deepEqual(
      [approved.reviewDecision, approved.mergeStateStatus, approved.latestReviews.nodes],
      ['APPROVED', 'CLEAN', [{ state: 'APPROVED' }]],
    );
    assert.equal((await owner.put(`${path}/merge`)).status, 200);
    const merged = (await data(query, { ...named(name), number, none })).repository.pullRequest;
    const rest = (await owner.get(path)).body;
    assert.deepEqual([merged.state, merged.mergeCommit.oid], ['MERGED', rest.merge_commit_sha]);
  });

  test('lists of pulls are filtered by state, branches and labels', async () => {
    const { name, number } = await openPull(forge, owner);
    const base = await commitFiles(forge, name, 'second', { 'b.txt': 'b\n' });
    assert.ok(base);
    await owner.post(`/repos/${name}/issues/${number}/labels`, { labels: ['ready'] });
    const query = `query ($owner: String!, $name: String!, $states: [PullRequestState!] = OPEN, $head: String, $labels: [String!]) {
      repository(owner: $owner, name: $name) {
        pullRequests(first: 10, states: $states, headRefName: $head, labels: $labels, orderBy: {field: UPDATED_AT, direction: DESC}) {
          totalCount nodes { number title labels(first: 5) { nodes { name } } assignees(first: 5) { totalCount } milestone { title } } } } }`;
    const count = async (variables: Record<string, unknown>): Promise<number> => {
      const { pullRequests } = (await data(query, { ...named(name), ...variables })).repository;
      assert.equal(pullRequests.totalCount, pullRequests.nodes.length);
      return pullRequests.totalCount;
    };
    assert.equal(await count({}), 1);
    assert.equal(await count({ states: 'MERGED' }), 0);
    assert.equal(await count({ states: ['OPEN', 'MERGED', 'CLOSED'] }), 1);
    assert.equal(await count({ head: 'topic' }), 1);
    assert.equal(await count({ head: 'main' }), 0);
    assert.equal(await count({ labels: ['READY', 'other'] }), 1);
    assert.equal(await count({ labels: [] }), 0);
    const missing = await ask(
      owner,
      `{ repository(owner: "owner", name: "${named(name).name}") { pullRequest(number: 99) { id } issue(number: 98) { id } issueOrPullRequest(number: ${number}) { kind: __typename } } }`,
    );
    assert.deepEqual(
      missing.body.errors.map(({ message }: { message: string }) => message).toSorted(),
      [
        'Could not resolve to a PullRequest with the number of 99.',
        'Could not resolve to an Issue with the number of 98.',
      ],
    );
    assert.equal(missing.body.data.repository.issueOrPullRequest.kind, 'PullRequest');
  });

  test('issues are listed with their filters, comments, labels and milestones', async () => {
    const name = await forge.repository(owner);
    const milestone = await owner.post(`/repos/${name}/milestones`, { title: 'Soon' });
    await owner.post(`/repos/${name}/issues`, {
      title: 'One',
      labels: ['bug'],
      milestone: milestone.body.number,
      assignees: ['owner'],
    });
    await owner.post(`/repos/${name}/issues`, { title: 'Two' });
    await owner.patch(`/repos/${name}/issues/2`, { state: 'closed' });
    for (const body of ['a', 'b', 'c'])
      await owner.post(`/repos/${name}/issues/1/comments`, { body });
    const { repository } = await data(
      `query ($owner: String!, $name: String!) { repository(owner: $owner, name: $name) {
        open: issues(first: 5, states: OPEN) { nodes { number comments { totalCount } labels(first: 5) { nodes { name color } } } }
        assigned: issues(first: 5, filterBy: {assignee: "owner", labels: ["bug"], milestoneNumber: "1", createdBy: "owner"}) { totalCount }
        issue(number: 1) { state stateReason body author { login } milestone { title number }
          comments(last: 2) { totalCount nodes { body author { login } authorAssociation viewerDidAuthor } pageInfo { hasPreviousPage } }
          subIssuesSummary { total } issueType { name } parent { number } isPinned }
        closed: issueOrPullRequest(number: 2) { ... on Issue { state closed } }
        labels(first: 20, query: "BU") { totalCount nodes { name } }
        milestones(first: 5, states: [OPEN]) { nodes { title } }
        assignableUsers(first: 5) { nodes { login } }
      } }`,
      named(name),
    );
    assert.deepEqual(
      repository.open.nodes.map((issue: { number: number }) => issue.number),
      [1],
    );
    assert.equal(repository.open.nodes[0].comments.totalCount, 3);
    assert.equal(repository.assigned.totalCount, 1);
    assert.deepEqual(
      repository.issue.comments.nodes.map((comment: { body: string }) => comment.body),
      ['b', 'c'],
    );
    assert.equal(repository.issue.comments.pageInfo.hasPreviousPage, true);
    assert.equal(repository.issue.comments.nodes[0].authorAssociation, 'OWNER');
    assert.deepEqual(repository.closed, { state: 'CLOSED', closed: true });
    assert.deepEqual(repository.labels.nodes, [{ name: 'bug' }]);
    assert.deepEqual(repository.milestones.nodes, [{ title: 'Soon' }]);
    assert.deepEqual(repository.assignableUsers.nodes, [{ login: 'owner' }]);
  });

  test('a connection takes the same number of reads whatever its length', async (t) => {
    const name = await forge.repository(owner);
    const query = `query ($owner: String!, $name: String!) { repository(owner: $owner, name: $name) {
      issues(first: 50) { nodes { author { login } labels(first: 5) { nodes { name } }
        comments(first: 5) { nodes { author { login } authorAssociation } } assignees(first: 3) { nodes { login } } } } } }`;
    const reads = [
      t.mock.method(forge.ports.database, 'read').mock,
      t.mock.method(forge.ports.database, 'readOne').mock,
    ];
    const called = (): number => reads.reduce((sum, read) => sum + read.callCount(), 0);
    const count = async (): Promise<number> => {
      await forge.ports.background.idle();
      const start = called();
      await data(query, named(name));
      return called() - start;
    };
    await owner.post(`/repos/${name}/issues`, { title: '1', labels: ['a'], assignees: ['owner'] });
    await owner.post(`/repos/${name}/issues/1/comments`, { body: 'x' });
    const one = await count();
    for (let number = 2; number <= 12; number += 1) {
      await owner.post(`/repos/${name}/issues`, {
        title: 'x',
        labels: ['a'],
        assignees: ['owner'],
      });
      await owner.post(`/repos/${name}/issues/${number}/comments`, { body: 'x' });
    }
    assert.equal(await count(), one);
  });

  test('releases are listed with their tags, and drafts only to those who can push', async () => {
    const name = await forge.repository(owner);
    const sha = await commitFiles(forge, name, 'main', { a: 'a' });
    const path = `/repos/${name}/releases`;
    await owner.post(path, { tag_name: 'v1', name: 'One', body: 'Text' });
    await owner.post(path, { tag_name: 'v2', prerelease: true });
    const { body: draft } = await owner.post(path, { tag_name: 'v3', draft: true });
    const query = `query ($owner: String!, $name: String!) { repository(owner: $owner, name: $name) {
      latestRelease { tagName isLatest author { login } tagCommit { oid } tag { name } description }
      draft: release(tagName: "v3") { databaseId isDraft }
      releases(first: 2, orderBy: { field: CREATED_AT, direction: ASC }) { totalCount nodes { tagName } } } }`;
    const { repository } = await data(query, named(name));
    assert.deepEqual(repository.latestRelease, {
      tagName: 'v1',
      isLatest: true,
      author: { login: 'owner' },
      tagCommit: { oid: sha },
      tag: { name: 'v1' },
      description: 'Text',
    });
    assert.deepEqual(repository.draft, { databaseId: draft.id, isDraft: true });
    assert.deepEqual(repository.releases, {
      totalCount: 3,
      nodes: [{ tagName: 'v1' }, { tagName: 'v2' }],
    });
    const { body } = await ask(stranger, query, named(name));
    assert.equal(body.data.repository.draft, null);
    assert.equal(body.data.repository.releases.totalCount, 2);
    const node = 'query ($id: ID!) { node(id: $id) { ... on Release { tagName } } }';
    assert.equal((await data(node, { id: draft.node_id })).node.tagName, 'v3');
    assert.equal((await ask(stranger, node, { id: draft.node_id })).body.data.node, null);
  });
});
