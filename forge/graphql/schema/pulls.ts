import { connection, connectionArguments } from './sdl.ts';
import { discussion, discussionInterfaces } from './issues.ts';

/** Settings that `createPullRequest` and `updatePullRequest` take; they reach REST under the same names, in snake case. */
export const pullSettingInputs = `
  maintainerCanModify: Boolean
`;

export const pullTypes = `
extend type Repository {
  pullRequest(number: Int!): PullRequest
  pullRequests(${connectionArguments}, baseRefName: String, headRefName: String, labels: [String!], orderBy: IssueOrder,
    states: [PullRequestState!]): PullRequestConnection!
}
extend type Ref {
  associatedPullRequests(${connectionArguments}, baseRefName: String, headRefName: String, labels: [String!], orderBy: IssueOrder,
    states: [PullRequestState!]): PullRequestConnection!
}
extend type Commit {
  associatedPullRequests(${connectionArguments}, orderBy: PullRequestOrder = {field: CREATED_AT, direction: ASC}): PullRequestConnection
}
input PullRequestOrder { direction: OrderDirection! field: PullRequestOrderField! }
enum PullRequestOrderField { CREATED_AT UPDATED_AT }
type MergeQueueEntry implements Node {
  baseCommit: Commit
  enqueuedAt: DateTime!
  enqueuer: Actor!
  estimatedTimeToMerge: Int
  headCommit: Commit
  id: ID!
  jump: Boolean!
  mergeQueue: MergeQueue
  position: Int!
  pullRequest: PullRequest
  solo: Boolean!
  state: MergeQueueEntryState!
}
${connection('MergeQueueEntry')}
enum MergeQueueEntryState { AWAITING_CHECKS LOCKED MERGEABLE QUEUED UNMERGEABLE }
type PullRequest implements ${discussionInterfaces} {
  ${discussion}
  additions: Int!
  autoMergeRequest: AutoMergeRequest
  baseRef: Ref
  baseRefName: String!
  baseRefOid: GitObjectID!
  baseRepository: Repository
  canBeRebased: Boolean!
  changedFiles: Int!
  checksResourcePath: URI!
  checksUrl: URI!
  closingIssuesReferences(${connectionArguments}, orderBy: IssueOrder, userLinkedOnly: Boolean = false): IssueConnection
  commits(${connectionArguments}): PullRequestCommitConnection!
  deletions: Int!
  files(${connectionArguments}): PullRequestChangedFileConnection
  headRef: Ref
  headRefName: String!
  headRefOid: GitObjectID!
  headRepository: Repository
  headRepositoryOwner: RepositoryOwner
  isCrossRepository: Boolean!
  isDraft: Boolean!
  isInMergeQueue: Boolean!
  isMergeQueueEnabled: Boolean!
  latestOpinionatedReviews(${connectionArguments}, writersOnly: Boolean = false): PullRequestReviewConnection
  latestReviews(${connectionArguments}): PullRequestReviewConnection
  maintainerCanModify: Boolean!
  mergeCommit: Commit
  mergeQueueEntry: MergeQueueEntry
  mergeStateStatus: MergeStateStatus!
  mergeable: MergeableState!
  merged: Boolean!
  mergedAt: DateTime
  mergedBy: Actor
  permalink: URI!
  potentialMergeCommit: Commit
  reviewDecision: PullRequestReviewDecision
  reviewRequests(${connectionArguments}): ReviewRequestConnection
  reviewThreads(${connectionArguments}): PullRequestReviewThreadConnection!
  reviews(${connectionArguments}, author: String, states: [PullRequestReviewState!]): PullRequestReviewConnection
  state: PullRequestState!
  statusCheckRollup: StatusCheckRollup
  suggestedReviewers: [SuggestedReviewer]!
  titleHTML: HTML!
  totalCommentsCount: Int
  viewerCanDisableAutoMerge: Boolean!
  viewerCanEnableAutoMerge: Boolean!
  viewerLatestReview: PullRequestReview
  viewerMergeBodyText(mergeType: PullRequestMergeMethod): String!
  viewerMergeHeadlineText(mergeType: PullRequestMergeMethod): String!
}
${connection('PullRequest')}
enum PullRequestState { CLOSED MERGED OPEN }
enum MergeableState { CONFLICTING MERGEABLE UNKNOWN }
enum MergeStateStatus { BEHIND BLOCKED CLEAN DIRTY DRAFT HAS_HOOKS UNKNOWN UNSTABLE }
type AutoMergeRequest {
  authorEmail: String
  commitBody: String
  commitHeadline: String
  enabledAt: DateTime
  enabledBy: Actor
  mergeMethod: PullRequestMergeMethod!
  pullRequest: PullRequest!
}
type PullRequestCommit implements Node & UniformResourceLocatable {
  commit: Commit!
  id: ID!
  pullRequest: PullRequest!
  resourcePath: URI!
  url: URI!
}
${connection('PullRequestCommit')}
type PullRequestChangedFile {
  additions: Int!
  changeType: PatchStatus!
  deletions: Int!
  path: String!
  viewerViewedState: FileViewedState!
}
${connection('PullRequestChangedFile')}
enum PatchStatus { ADDED CHANGED COPIED DELETED MODIFIED RENAMED }
enum FileViewedState { DISMISSED UNVIEWED VIEWED }
type SuggestedReviewer { isAuthor: Boolean! isCommenter: Boolean! reviewer: User! }
union RequestedReviewer = Bot | Mannequin | Team | User
type ReviewRequest implements Node {
  asCodeOwner: Boolean!
  databaseId: Int
  id: ID!
  pullRequest: PullRequest!
  requestedReviewer: RequestedReviewer
}
${connection('ReviewRequest')}
`;
