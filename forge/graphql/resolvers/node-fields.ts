import { RefusalError } from '../../errors/api-error.ts';
import { parseObjectId, parseRefName } from '../../git/names.ts';
import { commentsById } from '../../issues/comment-store.ts';
import { issuesById } from '../../issues/issue-store.ts';
import type { Json } from '../../json/json-values.ts';
import { parseNodeId } from '../../json/node-id.ts';
import { findLabelById } from '../../labels/label-store.ts';
import { findMilestoneById } from '../../milestones/milestone-store.ts';
import { loadVisibleTeam } from '../../teams/team-access.ts';
import { teamsById } from '../../teams/team-store.ts';
import { reviewCommentsById } from '../../review-comments/review-comment-store.ts';
import { reviewsById } from '../../reviews/review-store.ts';
import { optionalTexts, textArgument } from '../engine/arguments.ts';
import { GraphqlFieldError, failField } from '../engine/field-error.ts';
import { teamSource } from './account-fields.ts';
import type { Fields, GraphqlContext } from './context.ts';
import { commentSource, labelSource, milestoneSource } from './discussion-fields.ts';
import { isShown, findObjectSource, findRefSource } from './git-objects.ts';
import { findReleaseNode } from './release-fields.ts';
import {
  isNodeOf,
  type NodeOf,
  type NodeSource,
  type PullSource,
  type RepositorySource,
  type ReviewCommentSource,
  type ReviewSource,
  type ThreadSource,
} from './sources.ts';
import { reviewCommentSource, threadsFrom } from './thread-fields.ts';

type Lookup = (id: number, context: GraphqlContext) => Promise<NodeSource | null>;

export const nodeRoots: Fields<unknown> = {
  node: (_source, values, context) => findNode(textArgument(values, 'id'), context),
  nodes: (_source, values, context) =>
    (optionalTexts(values, 'ids', 'node ids') ?? []).map((id) => findNode(id, context)),
};

/** The object of a global id. Of a hidden one no more is said than of one that does not exist. */
export async function findNode(id: string, context: GraphqlContext): Promise<NodeSource> {
  const unknown = new GraphqlFieldError(
    'NOT_FOUND',
    `Could not resolve to a node with the global id of '${id.slice(0, 600)}'`,
  );
  const parsed = parseNodeId(id);
  if (!parsed) throw unknown;
  try {
    const found = await lookUp(parsed, context);
    if (found) return found;
  } catch (error) {
    if (!(error instanceof RefusalError) || error.refusal.kind !== 'not-found') throw error;
  }
  throw unknown;
}

/** The object of a global id in an input, which must be of one of these types. */
export async function nodeOf<Name extends NodeSource['typeName']>(
  id: string,
  names: readonly Name[],
  context: GraphqlContext,
): Promise<NodeOf<Name>> {
  const found = await findNode(id, context);
  if (isNodeOf(found, names)) return found;
  const message = `Could not resolve to a node with the global id of '${id.slice(0, 600)}'`;
  return failField('NOT_FOUND', message);
}

/** The global id of what an operation has created or changed, from its response. */
export function idOfCreated(response: Json): string {
  if (typeof response === 'object' && response !== null && 'node_id' in response) {
    const id: unknown = response['node_id'];
    if (typeof id === 'string') return id;
  }
  throw new TypeError('the response of the operation has no node_id');
}

/** Several, in the order of their ids. */
export function nodesOf<Name extends NodeSource['typeName']>(
  ids: readonly string[],
  names: readonly Name[],
  context: GraphqlContext,
): Promise<NodeOf<Name>[]> {
  return Promise.all(ids.map((id) => nodeOf(id, names, context)));
}

async function lookUp(
  { type, key }: { readonly type: string; readonly key: string },
  context: GraphqlContext,
): Promise<NodeSource | null> {
  if (Object.hasOwn(lookups, type) && /^[1-9]\d{0,14}$/.test(key)) {
    return (await lookups[type]?.(Number(key), context)) ?? null;
  }
  const [, repository, name = ''] = /^([1-9]\d{0,14}):(.+)$/s.exec(key) ?? [];
  if (repository === undefined) return null;
  const enter = (operation: string): Promise<RepositorySource> =>
    context.access({ id: Number(repository) }, operation);
  if (type === 'Ref') {
    const ref = parseRefName(name);
    return ref && isShown(ref) ? findRefSource(await enter('git/get-ref'), ref, context) : null;
  }
  const oid = gitObjects.has(type) ? parseObjectId(name) : undefined;
  if (!oid) return null;
  const found = await findObjectSource(await enter('git/get-commit'), oid, context);
  return found?.typeName === type ? found : null;
}

const gitObjects: ReadonlySet<string> = new Set(['Commit', 'Tree', 'Blob', 'Tag']);

const account =
  (type: string): Lookup =>
  async (id, { loaders }) => {
    const found = await loaders.account(id);
    return found?.typeName === type ? found : null;
  };

const lookups: Readonly<Record<string, Lookup>> = {
  User: account('User'),
  Organization: account('Organization'),
  Bot: account('Bot'),
  Repository: (id, { access }) => access({ id }, 'repos/get'),
  PullRequest: findPullNode,
  Issue: async (id, { access, ports }) => {
    const issue = (await ports.database.readOne((sql) => issuesById(sql, [id]))).get(id);
    if (!issue || issue.pull) return null;
    return {
      typeName: 'Issue',
      at: await access({ id: issue.repositoryId }, 'issues/get', {
        issue_number: String(issue.number),
      }),
      issue,
    };
  },
  Label: async (id, { access, ports }) => {
    const found = await ports.database.readOne((sql) => findLabelById(sql, id));
    if (!found) return null;
    return labelSource(await access({ id: found.repositoryId }, 'issues/get-label'), found.label);
  },
  Milestone: async (id, { access, ports }) => {
    const found = await ports.database.readOne((sql) => findMilestoneById(sql, id));
    if (!found) return null;
    return milestoneSource(await access({ id: found.repositoryId }, 'issues/get-milestone'), found);
  },
  IssueComment: async (id, { access, ports }) => {
    const found = await ports.database.read(async (sql) => {
      const [comment] = await commentsById(sql, [id]);
      const issueId = comment?.issue.id ?? 0;
      return { comment, issue: (await issuesById(sql, [issueId])).get(issueId) };
    });
    if (!found.comment || !found.issue) return null;
    const at = await access({ id: found.issue.repositoryId }, 'issues/get-comment', {
      comment_id: String(id),
    });
    return commentSource(at, found.comment);
  },
  Release: findReleaseNode,
  PullRequestReview: findReviewNode,
  PullRequestReviewComment: findReviewCommentNode,
  PullRequestReviewThread: async (id, context) => {
    const found = await findReviewCommentNode(id, context);
    if (!found) return null;
    const { at, pull } = found;
    const threads = threadsFrom(await context.loaders.reviewCommentsOf(pull.id));
    const comments = threads.find(([root]) => root.id === id);
    const typeName = 'PullRequestReviewThread';
    const thread: ThreadSource | undefined = comments && {
      typeName: typeName,
      at,
      pull,
      comments,
    };
    return thread ?? null;
  },
  Team: async (id, { ports, request }) =>
    ports.database.read(async (sql) => {
      const [team] = await teamsById(sql, [id]);
      if (!team) return null;
      const path = { org: team.organization.login, team_slug: team.slug };
      return teamSource(await loadVisibleTeam(sql, request.caller, path));
    }),
};

export async function findPullNode(
  id: number,
  { access, loaders }: GraphqlContext,
): Promise<PullSource | null> {
  const pull = await loaders.pull(id);
  if (!pull) return null;
  return {
    typeName: 'PullRequest',
    at: await access({ id: pull.repositoryId }, 'pulls/get'),
    pull,
  };
}

/** Pending reviews are visible to their authors only. */
export async function findReviewNode(
  id: number,
  context: GraphqlContext,
): Promise<ReviewSource | null> {
  const [review] = await context.ports.database.readOne((sql) => reviewsById(sql, [id]));
  const own = review?.authorId === context.request.caller.account.id;
  if (!review || (review.state === 'PENDING' && !own)) return null;
  const found = await findPullNode(review.pullId, context);
  return found && { typeName: 'PullRequestReview', at: found.at, pull: found.pull, review };
}

export async function findReviewCommentNode(
  id: number,
  context: GraphqlContext,
): Promise<ReviewCommentSource | null> {
  const [comment] = await context.ports.database.readOne((sql) => reviewCommentsById(sql, [id]));
  const review = comment && (await findReviewNode(comment.reviewId, context));
  return review ? reviewCommentSource(review.at, review.pull, comment) : null;
}
