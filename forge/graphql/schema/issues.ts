import { commentFields, commentInterfaces, connection, connectionArguments } from './sdl.ts';

/** Of issues and pulls. */
export const discussion = `
  activeLockReason: LockReason
  assignees(${connectionArguments}): UserConnection!
  author: Actor
  authorAssociation: CommentAuthorAssociation!
  body: String!
  bodyHTML: HTML!
  bodyText: String!
  closed: Boolean!
  closedAt: DateTime
  comments(${connectionArguments}, orderBy: IssueCommentOrder): IssueCommentConnection!
  createdAt: DateTime!
  createdViaEmail: Boolean!
  databaseId: Int
  editor: Actor
  fullDatabaseId: BigInt
  id: ID!
  includesCreatedEdit: Boolean!
  labels(${connectionArguments}, orderBy: LabelOrder = {field: CREATED_AT, direction: ASC}): LabelConnection
  lastEditedAt: DateTime
  locked: Boolean!
  milestone: Milestone
  number: Int!
  participants(${connectionArguments}): UserConnection!
  projectCards(${connectionArguments}): ProjectCardConnection!
  projectItems(${connectionArguments}, includeArchived: Boolean = true): ProjectV2ItemConnection!
  publishedAt: DateTime
  reactionGroups: [ReactionGroup!]
  reactions(${connectionArguments}, content: ReactionContent, orderBy: ReactionOrder): ReactionConnection!
  repository: Repository!
  resourcePath: URI!
  title: String!
  updatedAt: DateTime!
  url: URI!
  viewerCanClose: Boolean!
  viewerCanReact: Boolean!
  viewerCanReopen: Boolean!
  viewerCanSubscribe: Boolean!
  viewerCanUpdate: Boolean!
  viewerDidAuthor: Boolean!
  viewerSubscription: SubscriptionState`;

export const discussionInterfaces = `Assignable & Closable & Comment & Labelable & Lockable & Node & Reactable & RepositoryNode &
  Subscribable & UniformResourceLocatable & Updatable`;

export const issueTypes = `
extend type Repository {
  issue(number: Int!): Issue
  issueOrPullRequest(number: Int!): IssueOrPullRequest
  issues(${connectionArguments}, filterBy: IssueFilters, labels: [String!], orderBy: IssueOrder, states: [IssueState!]): IssueConnection!
  label(name: String!): Label
  labels(${connectionArguments}, orderBy: LabelOrder = {field: CREATED_AT, direction: ASC}, query: String): LabelConnection
  milestone(number: Int!): Milestone
  milestones(${connectionArguments}, orderBy: MilestoneOrder, query: String, states: [MilestoneState!]): MilestoneConnection
}
union IssueOrPullRequest = Issue | PullRequest
type Issue implements ${discussionInterfaces} {
  ${discussion}
  closedByPullRequestsReferences(${connectionArguments}, includeClosedPrs: Boolean = false, orderByState: Boolean = false): PullRequestConnection
  isPinned: Boolean
  # Not in the published schema.
  issueType: IssueType
  linkedBranches(${connectionArguments}): LinkedBranchConnection!
  parent: Issue
  state: IssueState!
  stateReason(enableDuplicate: Boolean = false): IssueStateReason
  subIssues(${connectionArguments}): IssueConnection!
  subIssuesSummary: SubIssuesSummary!
  titleHTML: String!
}
${connection('Issue')}
type LinkedBranch implements Node { id: ID! ref: Ref }
${connection('LinkedBranch')}
type PinnedIssue implements Node {
  databaseId: Int fullDatabaseId: BigInt id: ID! issue: Issue! pinnedBy: Actor! repository: Repository!
}
${connection('PinnedIssue')}
# Not in the published schema.
type IssueType implements Node { color: String! description: String id: ID! name: String! }
type SubIssuesSummary { completed: Int! percentCompleted: Int! total: Int! }
enum IssueState { CLOSED OPEN }
enum IssueStateReason { COMPLETED DUPLICATE NOT_PLANNED REOPENED }
enum IssueClosedStateReason { COMPLETED DUPLICATE NOT_PLANNED }
input IssueFilters {
  assignee: String
  createdBy: String
  labels: [String!]
  mentioned: String
  milestone: String
  milestoneNumber: String
  since: DateTime
  states: [IssueState!]
  viewerSubscribed: Boolean
}
input IssueOrder { direction: OrderDirection! field: IssueOrderField! }
enum IssueOrderField { COMMENTS CREATED_AT UPDATED_AT }

type IssueComment implements ${commentInterfaces} {
  ${commentFields}
  issue: Issue!
  pullRequest: PullRequest
}
${connection('IssueComment')}
input IssueCommentOrder { direction: OrderDirection! field: IssueCommentOrderField! }
enum IssueCommentOrderField { UPDATED_AT }

type Label implements Node {
  color: String!
  createdAt: DateTime
  description: String
  id: ID!
  isDefault: Boolean!
  name: String!
  repository: Repository!
  resourcePath: URI!
  updatedAt: DateTime
  url: URI!
}
${connection('Label')}
input LabelOrder { direction: OrderDirection! field: LabelOrderField! }
enum LabelOrderField { CREATED_AT NAME }

type Milestone implements Closable & Node & UniformResourceLocatable {
  closed: Boolean!
  closedAt: DateTime
  createdAt: DateTime!
  creator: Actor
  description: String
  dueOn: DateTime
  id: ID!
  number: Int!
  progressPercentage: Float!
  repository: Repository!
  resourcePath: URI!
  state: MilestoneState!
  title: String!
  updatedAt: DateTime!
  url: URI!
  viewerCanClose: Boolean!
  viewerCanReopen: Boolean!
}
${connection('Milestone')}
enum MilestoneState { CLOSED OPEN }
input MilestoneOrder { direction: OrderDirection! field: MilestoneOrderField! }
enum MilestoneOrderField { CREATED_AT DUE_DATE NUMBER UPDATED_AT }
`;
