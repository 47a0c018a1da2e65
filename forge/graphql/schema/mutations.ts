import { pullSettingInputs } from './pulls.ts';

interface MutationTypes {
  readonly field: string;
  readonly types: string;
}

/** A mutation takes one input and returns one payload, both of which have the client's own id of the mutation. */
function mutation(name: string, input: string, payload: string): MutationTypes {
  const type = `${name[0]?.toUpperCase() ?? ''}${name.slice(1)}`;
  return {
    field: `${name}(input: ${type}Input!): ${type}Payload`,
    types: `input ${type}Input { clientMutationId: String ${input} }
type ${type}Payload { clientMutationId: String ${payload} }`,
  };
}

const pullOnly = 'pullRequestId: ID!';
const pullPayload = 'pullRequest: PullRequest';
const actorAndPull = 'actor: Actor pullRequest: PullRequest';
const issuePayload = 'issue: Issue';
const attributes = 'assigneeIds: [ID!] labelIds: [ID!] milestoneId: ID projectIds: [ID!]';
const comment = 'comment: PullRequestReviewComment';
const review = 'pullRequestReview: PullRequestReview';
const repository = 'repository: Repository';
const linesOfDiff = 'path: String! side: DiffSide startLine: Int startSide: DiffSide';

const pullMutations = [
  mutation('convertPullRequestToDraft', pullOnly, pullPayload),
  mutation('markPullRequestReadyForReview', pullOnly, pullPayload),
  mutation(
    'createPullRequest',
    `baseRefName: String! body: String draft: Boolean headRefName: String! headRepositoryId: ID
    ${pullSettingInputs} repositoryId: ID! title: String!`,
    pullPayload,
  ),
  mutation(
    'updatePullRequest',
    `${pullOnly} ${attributes} baseRefName: String body: String ${pullSettingInputs}
    state: PullRequestUpdateState title: String`,
    actorAndPull,
  ),
  mutation('closePullRequest', pullOnly, pullPayload),
  mutation('reopenPullRequest', pullOnly, pullPayload),
  mutation(
    'mergePullRequest',
    `${pullOnly} authorEmail: String commitBody: String commitHeadline: String expectedHeadOid: GitObjectID
    mergeMethod: PullRequestMergeMethod = MERGE`,
    actorAndPull,
  ),
  mutation(
    'enablePullRequestAutoMerge',
    `${pullOnly} authorEmail: String commitBody: String commitHeadline: String expectedHeadOid: GitObjectID
    mergeMethod: PullRequestMergeMethod = MERGE`,
    actorAndPull,
  ),
  mutation('disablePullRequestAutoMerge', pullOnly, actorAndPull),
  mutation(
    'enqueuePullRequest',
    `${pullOnly} expectedHeadOid: GitObjectID jump: Boolean`,
    'mergeQueueEntry: MergeQueueEntry',
  ),
  mutation('dequeuePullRequest', 'id: ID!', 'mergeQueueEntry: MergeQueueEntry'),
  mutation(
    'updatePullRequestBranch',
    `${pullOnly} expectedHeadOid: GitObjectID updateMethod: PullRequestBranchUpdateMethod`,
    pullPayload,
  ),
  mutation(
    'revertPullRequest',
    `body: String draft: Boolean = false ${pullOnly} title: String`,
    'pullRequest: PullRequest revertPullRequest: PullRequest',
  ),
  mutation(
    'requestReviews',
    `${pullOnly} teamIds: [ID!] union: Boolean = false userIds: [ID!]`,
    actorAndPull,
  ),
];

const reviewMutations = [
  mutation(
    'addPullRequestReview',
    `${pullOnly} body: String comments: [DraftPullRequestReviewComment] commitOID: GitObjectID
    event: PullRequestReviewEvent threads: [DraftPullRequestReviewThread]`,
    review,
  ),
  mutation(
    'submitPullRequestReview',
    'body: String event: PullRequestReviewEvent! pullRequestId: ID pullRequestReviewId: ID',
    review,
  ),
  mutation('updatePullRequestReview', 'body: String! pullRequestReviewId: ID!', review),
  mutation('dismissPullRequestReview', 'message: String! pullRequestReviewId: ID!', review),
  mutation('deletePullRequestReview', 'pullRequestReviewId: ID!', review),
  mutation(
    'addPullRequestReviewThread',
    `body: String! line: Int ${linesOfDiff} pullRequestId: ID pullRequestReviewId: ID
    subjectType: PullRequestReviewThreadSubjectType = LINE`,
    'thread: PullRequestReviewThread',
  ),
  mutation(
    'addPullRequestReviewThreadReply',
    'body: String! pullRequestReviewId: ID pullRequestReviewThreadId: ID!',
    comment,
  ),
  mutation(
    'addPullRequestReviewComment',
    `body: String commitOID: GitObjectID inReplyTo: ID path: String position: Int pullRequestId: ID
    pullRequestReviewId: ID`,
    comment,
  ),
  mutation(
    'updatePullRequestReviewComment',
    'body: String! pullRequestReviewCommentId: ID!',
    'pullRequestReviewComment: PullRequestReviewComment',
  ),
  mutation('resolveReviewThread', 'threadId: ID!', 'thread: PullRequestReviewThread'),
  mutation('unresolveReviewThread', 'threadId: ID!', 'thread: PullRequestReviewThread'),
];

const issueMutations = [
  mutation(
    'createIssue',
    `${attributes} body: String issueTemplate: String repositoryId: ID! title: String!`,
    issuePayload,
  ),
  mutation(
    'updateIssue',
    `${attributes} body: String id: ID! state: IssueState title: String`,
    `actor: Actor ${issuePayload}`,
  ),
  mutation('closeIssue', 'issueId: ID! stateReason: IssueClosedStateReason', issuePayload),
  mutation('reopenIssue', 'issueId: ID!', issuePayload),
  mutation('deleteIssue', 'issueId: ID!', repository),
  mutation(
    'transferIssue',
    'createLabelsIfMissing: Boolean = false issueId: ID! repositoryId: ID!',
    issuePayload,
  ),
  mutation(
    'createLinkedBranch',
    'issueId: ID! name: String oid: GitObjectID! repositoryId: ID',
    'issue: Issue linkedBranch: LinkedBranch',
  ),
  mutation('deleteLinkedBranch', 'linkedBranchId: ID!', issuePayload),
  mutation('pinIssue', 'issueId: ID!', issuePayload),
  mutation('unpinIssue', 'issueId: ID!', `id: ID ${issuePayload}`),
  mutation(
    'addComment',
    'body: String! subjectId: ID!',
    'commentEdge: IssueCommentEdge subject: Node',
  ),
  mutation('updateIssueComment', 'body: String! id: ID!', 'issueComment: IssueComment'),
  mutation('deleteIssueComment', 'id: ID!', ''),
  mutation(
    'minimizeComment',
    'classifier: ReportedContentClassifiers! subjectId: ID!',
    'minimizedComment: Minimizable',
  ),
  mutation('unminimizeComment', 'subjectId: ID!', 'unminimizedComment: Minimizable'),
  mutation('addLabelsToLabelable', 'labelIds: [ID!]! labelableId: ID!', 'labelable: Labelable'),
  mutation(
    'removeLabelsFromLabelable',
    'labelIds: [ID!]! labelableId: ID!',
    'labelable: Labelable',
  ),
  mutation('clearLabelsFromLabelable', 'labelableId: ID!', 'labelable: Labelable'),
  mutation(
    'addAssigneesToAssignable',
    'assignableId: ID! assigneeIds: [ID!]!',
    'assignable: Assignable',
  ),
  mutation(
    'removeAssigneesFromAssignable',
    'assignableId: ID! assigneeIds: [ID!]!',
    'assignable: Assignable',
  ),
  mutation(
    'lockLockable',
    'lockReason: LockReason lockableId: ID!',
    'actor: Actor lockedRecord: Lockable',
  ),
  mutation('unlockLockable', 'lockableId: ID!', 'actor: Actor unlockedRecord: Lockable'),
  mutation(
    'createLabel',
    'color: String! description: String name: String! repositoryId: ID!',
    'label: Label',
  ),
  mutation('updateLabel', 'color: String description: String id: ID! name: String', 'label: Label'),
  mutation('deleteLabel', 'id: ID!', ''),
];

const repositoryMutations = [
  mutation(
    'createRepository',
    `description: String hasIssuesEnabled: Boolean = true hasWikiEnabled: Boolean = false homepageUrl: URI
    name: String! ownerId: ID teamId: ID template: Boolean = false visibility: RepositoryVisibility!`,
    repository,
  ),
  mutation(
    'updateRepository',
    `description: String hasIssuesEnabled: Boolean hasProjectsEnabled: Boolean hasWikiEnabled: Boolean
    homepageUrl: URI name: String repositoryId: ID! template: Boolean`,
    repository,
  ),
  mutation(
    'cloneTemplateRepository',
    `description: String includeAllBranches: Boolean = false name: String! ownerId: ID! repositoryId: ID!
    visibility: RepositoryVisibility!`,
    repository,
  ),
  mutation('archiveRepository', 'repositoryId: ID!', repository),
  mutation('unarchiveRepository', 'repositoryId: ID!', repository),
  mutation(
    'addReaction',
    'content: ReactionContent! subjectId: ID!',
    'reaction: Reaction subject: Reactable',
  ),
  mutation(
    'removeReaction',
    'content: ReactionContent! subjectId: ID!',
    'reaction: Reaction subject: Reactable',
  ),
  mutation('markFileAsViewed', 'path: String! pullRequestId: ID!', 'pullRequest: PullRequest'),
  mutation('unmarkFileAsViewed', 'path: String! pullRequestId: ID!', 'pullRequest: PullRequest'),
  mutation('addStar', 'starrableId: ID!', 'starrable: Starrable'),
  mutation('removeStar', 'starrableId: ID!', 'starrable: Starrable'),
  mutation(
    'updateSubscription',
    'state: SubscriptionState! subscribableId: ID!',
    'subscribable: Subscribable',
  ),
  mutation('followUser', 'userId: ID!', 'user: User'),
  mutation('unfollowUser', 'userId: ID!', 'user: User'),
  mutation('createRef', 'name: String! oid: GitObjectID! repositoryId: ID!', 'ref: Ref'),
  mutation('updateRef', 'force: Boolean = false oid: GitObjectID! refId: ID!', 'ref: Ref'),
  mutation('deleteRef', 'refId: ID!', ''),
  mutation(
    'createCommitOnBranch',
    'branch: CommittableBranch! expectedHeadOid: GitObjectID! fileChanges: FileChanges message: CommitMessage!',
    'commit: Commit ref: Ref',
  ),
];

const mutations = [...pullMutations, ...reviewMutations, ...issueMutations, ...repositoryMutations];

export const mutationTypes = `
type Mutation {
${mutations.map(({ field }) => `  ${field}`).join('\n')}
}
${mutations.map(({ types }) => types).join('\n')}
enum PullRequestUpdateState { CLOSED OPEN }
enum PullRequestBranchUpdateMethod { MERGE REBASE }
enum PullRequestReviewEvent { APPROVE COMMENT DISMISS REQUEST_CHANGES }
input DraftPullRequestReviewComment { body: String! path: String! position: Int! }
input DraftPullRequestReviewThread { body: String! line: Int! ${linesOfDiff} }
input CommittableBranch { branchName: String id: ID repositoryNameWithOwner: String }
input CommitMessage { body: String headline: String! }
input FileChanges { additions: [FileAddition!] = [] deletions: [FileDeletion!] = [] }
input FileAddition { contents: Base64String! path: String! }
input FileDeletion { path: String! }
`;
