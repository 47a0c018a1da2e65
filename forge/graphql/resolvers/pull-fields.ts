import { branchRef, parseBranchName } from '../../git/names.ts';
import { closingReferences, withoutCode } from '../../issues/closing-keywords.ts';
import { issuesByNumber } from '../../issues/issue-store.ts';
import { timestamp } from '../../json/json-values.ts';
import { nodeId } from '../../json/node-id.ts';
import { atLeast } from '../../model/permission.ts';
import { type AutoMerge, mergeability, type Pull } from '../../model/pull.ts';
import { fullName } from '../../model/repository.ts';
import { mergeMessage, squashMessage } from '../../pulls/merge-methods.ts';
import { mayDisableAutoMerge } from '../../pulls/operations/auto-merge.ts';
import { scheduleMergeabilityCheck } from '../../pulls/mergeability.ts';
import { originsOf } from '../../ref-updates/close-referenced.ts';
import { combineReviews } from '../../reviews/review-decision.ts';
import { optionalText } from '../engine/arguments.ts';
import { connectList } from '../engine/connection.ts';
import { commitsOf, filesOf, latestReviews, reviewsOf, sizeOf } from './pull-connections.ts';
import { rollupOf } from './check-fields.ts';
import { teamSource } from './account-fields.ts';
import { always, type Fields, type GraphqlContext, pathOfUrl, type Resolvers } from './context.ts';
import { discussionFields } from './discussion-fields.ts';
import { bodyOf } from './commit-fields.ts';
import { inGit, findCommitSource, findRefSource } from './git-objects.ts';
import { threadsOf } from './thread-fields.ts';
import type { AccountSource, IssueSource, PullSource, RefSource, TeamSource } from './sources.ts';

/** Fields whose values are the row's own. */
const ownFields: Fields<PullSource> = {
  ...discussionFields('PullRequest', ({ pull }: PullSource) => pull),
  state: ({ pull }) => (pull.merge ? 'MERGED' : pull.state.toUpperCase()),
  permalink: ({ at, pull }, _values, { request }) =>
    request.urls.pullHtml(fullName(at.repository), pull.number),
  checksUrl: ({ at, pull }, _values, { request }) =>
    request.urls.pullHtml(fullName(at.repository), pull.number),
  checksResourcePath: ({ at, pull }, _values, { request }) =>
    pathOfUrl(request.urls.pullHtml(fullName(at.repository), pull.number)),
  baseRefName: ({ pull }) => pull.base.ref,
  baseRefOid: ({ pull }) => pull.base.sha,
  headRefName: ({ pull }) => pull.head.ref,
  headRefOid: ({ pull }) => pull.head.sha,
  isCrossRepository: ({ pull }) => pull.head.repositoryId !== pull.repositoryId,
  isDraft: ({ pull }) => pull.draft,
  maintainerCanModify: ({ pull }) => pull.maintainerCanModify,
  merged: ({ pull }) => pull.merge !== undefined,
  mergedAt: ({ pull }) => timestamp(pull.merge?.at ?? null),
  totalCommentsCount: ({ pull }) => pull.comments + pull.reviewComments,
  // What this server does not have (docs/unspecified.md).
  isInMergeQueue: always(false),
  isMergeQueueEnabled: always(false),
  mergeQueueEntry: always(null),
  suggestedReviewers: always([]),
};

/** Fields that need other rows. */
const relatedFields: Fields<PullSource> = {
  baseRepository: ({ at }) => at,
  headRepository: ({ pull }, _values, { loaders }) =>
    pull.head.repositoryId === null ? null : loaders.repository(pull.head.repositoryId),
  headRepositoryOwner: ({ pull }, _values, { loaders }) =>
    pull.head.ownerId === null ? null : loaders.account(pull.head.ownerId),
  mergedBy: ({ pull }, _values, { loaders }) =>
    pull.merge?.byId ? loaders.account(pull.merge.byId) : null,
  autoMergeRequest: ({ at, pull }) =>
    pull.autoMerge ? { at, pull, autoMerge: pull.autoMerge } : null,
  viewerCanEnableAutoMerge: ({ at, pull }) =>
    at.repository.allowAutoMerge &&
    pull.state === 'open' &&
    !pull.draft &&
    !pull.autoMerge &&
    atLeast(at.permission, 'write'),
  viewerCanDisableAutoMerge: ({ at, pull }, _values, { request }) =>
    mayDisableAutoMerge(pull, request.caller, at.permission),
  reviewDecision: reviewDecisionOf,
  reviewRequests: ({ pull }, values, { loaders }) =>
    connectList(
      'reviewRequests',
      values,
      async (): Promise<RequestSource[]> => {
        const [ids, teams] = await Promise.all([
          loaders.reviewersOf(pull.id),
          loaders.teamsOf(pull.id),
        ]);
        const users = await Promise.all(ids.map((id) => loaders.account(id)));
        const reviewers = [
          ...users.flatMap((user) => user ?? []),
          ...teams.map((team) => teamSource({ team })),
        ];
        return reviewers.map((reviewer) => ({ pull, reviewer }));
      },
      ({ reviewer }) =>
        reviewer.typeName === 'Team' ? `team ${reviewer.team.id}` : `${reviewer.account.id}`,
    ),
  latestReviews: (source, values, context) =>
    latestReviews('latestReviews', source, values, context),
  latestOpinionatedReviews: (source, values, context) =>
    latestReviews('latestOpinionatedReviews', source, values, context),
  reviews: reviewsOf,
  reviewThreads: threadsOf,
  viewerLatestReview: async ({ at, pull }, _values, { loaders, request }) => {
    const reviews = await loaders.reviewsOf(pull.id);
    const review = reviews.findLast(({ authorId }) => authorId === request.caller.account.id);
    return review ? { typeName: 'PullRequestReview', at, pull, review } : null;
  },
  closingIssuesReferences: (source, values, context) =>
    connectList(
      'closingIssuesReferences',
      values,
      () => closedIssues(source, context),
      ({ issue }) => issue.id,
    ),
};

async function reviewDecisionOf(
  { at, pull }: PullSource,
  _values: unknown,
  { loaders }: GraphqlContext,
): Promise<'APPROVED' | 'CHANGES_REQUESTED' | 'REVIEW_REQUIRED' | null> {
  const [reviews, pushers, rules] = await Promise.all([
    loaders.reviewsOf(pull.id),
    loaders.pushersOf(at.repository),
    loaders.rulesOf(pull.repositoryId),
  ]);
  const required = rules.find(({ branch }) => branch === pull.base.ref)?.reviews;
  const last = new Map(
    reviews
      .filter(({ state }) => ['APPROVED', 'CHANGES_REQUESTED', 'DISMISSED'].includes(state))
      .map((review) => [review.authorId, review]),
  );
  const stale = required?.dismissStale ?? false;
  const { approvals, changesRequested } = combineReviews([...last.values()], pull, pushers, stale);
  if (changesRequested) return 'CHANGES_REQUESTED';
  if (required && approvals < required.approvals) return 'REVIEW_REQUIRED';
  return approvals > 0 ? 'APPROVED' : null;
}

/** The issues of this repository that a merge into the default branch would close. */
async function closedIssues(
  { at, pull }: PullSource,
  { ports }: GraphqlContext,
): Promise<IssueSource[]> {
  if (pull.base.ref !== at.repository.defaultBranch) return [];
  const name = fullName(at.repository).toLowerCase();
  const numbers = closingReferences(withoutCode(pull.body ?? ''), originsOf(ports)).flatMap(
    ({ repository, number }) =>
      !repository || `${repository.owner}/${repository.name}`.toLowerCase() === name
        ? [number]
        : [],
  );
  const issues = await ports.database.read((sql) => issuesByNumber(sql, at.repository.id, numbers));
  return issues.filter((issue) => !issue.pull).map((issue) => ({ typeName: 'Issue', at, issue }));
}

/** Fields that need git or the state of checks. */
const gitFields: Fields<PullSource> = {
  baseRef: ({ at, pull }, _values, context) => branchOf(at, pull.base.ref, context),
  headRef: async ({ pull }, _values, context) => {
    if (pull.head.repositoryId === null) return null;
    const at = await context.loaders.repository(pull.head.repositoryId);
    return at ? branchOf(at, pull.head.ref, context) : null;
  },
  additions: async (source, _values, context) => (await sizeOf(source, context)).additions,
  deletions: async (source, _values, context) => (await sizeOf(source, context)).deletions,
  changedFiles: async (source, _values, context) => (await sizeOf(source, context)).changedFiles,
  commits: commitsOf,
  files: filesOf,
  mergeCommit: ({ at, pull }, _values, context) =>
    pull.merge ? findCommitSource(at, pull.merge.commit, context) : null,
  potentialMergeCommit: ({ at, pull }, _values, context) =>
    mergeability(pull) === 'mergeable' && pull.state === 'open' && pull.testMerge?.commit
      ? findCommitSource(at, pull.testMerge.commit, context)
      : null,
  mergeable: ({ pull }, _values, context) => {
    testUntested(pull, context);
    return mergeability(pull).toUpperCase();
  },
  mergeStateStatus: async ({ pull }, _values, context) => {
    testUntested(pull, context);
    return (await context.loaders.mergeState(pull)).toUpperCase();
  },
  canBeRebased: ({ pull }) =>
    mergeability(pull) === 'mergeable' && (pull.testMerge?.rebaseable ?? false),
  statusCheckRollup: ({ at, pull }, _values, context) => rollupOf(at, pull.head.sha, context),
  viewerMergeHeadlineText: async (source, values, context) =>
    (await mergeText(source, optionalText(values, 'mergeType'), context)).split('\n', 1)[0] ?? '',
  viewerMergeBodyText: async (source, values, context) =>
    bodyOf(await mergeText(source, optionalText(values, 'mergeType'), context)),
};

function branchOf(
  at: PullSource['at'],
  name: string,
  context: GraphqlContext,
): Promise<RefSource | null> | null {
  const branch = parseBranchName(name);
  return branch ? findRefSource(at, branchRef(branch), context) : null;
}

/** As in REST: a query for mergeability starts the test merge. */
function testUntested(pull: Pull, { ports }: GraphqlContext): void {
  if (pull.state === 'open' && mergeability(pull) === 'unknown') {
    scheduleMergeabilityCheck(ports, pull.id);
  }
}

/** Commits whose messages make the default message of a squash in GraphQL. */
const squashedMax = 250;

async function mergeText(
  { at, pull }: PullSource,
  method: string | undefined,
  context: GraphqlContext,
): Promise<string> {
  const none = { title: undefined, message: undefined };
  if (method === 'REBASE') return '';
  if (method !== 'SQUASH') return mergeMessage(pull, none);
  const commits = await inGit(at, context, (git) =>
    git.log({ from: pull.head.sha, notIn: [pull.base.sha], max: squashedMax, reverse: true }),
  );
  return squashMessage(pull, commits, none);
}

interface RequestSource {
  readonly pull: Pull;
  readonly reviewer: AccountSource | TeamSource;
}

const requestFields: Fields<RequestSource> = {
  id: ({ pull, reviewer }) => {
    const id = reviewer.typeName === 'Team' ? reviewer.team.id : reviewer.account.id;
    return nodeId('ReviewRequest', `${pull.id}:${reviewer.typeName}:${id}`);
  },
  databaseId: always(null),
  asCodeOwner: always(false),
  requestedReviewer: ({ reviewer }) => reviewer,
  pullRequest: async ({ pull }, _values, { loaders }) => {
    const at = await loaders.repository(pull.repositoryId);
    return at ? { typeName: 'PullRequest', at, pull } : null;
  },
};

interface AutoMergeSource extends Pick<PullSource, 'at' | 'pull'> {
  readonly autoMerge: AutoMerge;
}

const autoMergeFields: Fields<AutoMergeSource> = {
  enabledAt: ({ autoMerge }) => timestamp(autoMerge.at),
  enabledBy: ({ autoMerge }, _values, { loaders }) =>
    autoMerge.byId === null ? null : loaders.account(autoMerge.byId),
  mergeMethod: ({ autoMerge }) => autoMerge.method.toUpperCase(),
  commitHeadline: ({ autoMerge }) => autoMerge.title,
  commitBody: ({ autoMerge }) => autoMerge.message,
  authorEmail: always(null),
  pullRequest: ({ at, pull }) => ({ typeName: 'PullRequest', at, pull }),
};

export const pullResolvers: Resolvers = {
  PullRequest: { ...ownFields, ...relatedFields, ...gitFields },
  AutoMergeRequest: autoMergeFields,
  ReviewRequest: requestFields,
};
