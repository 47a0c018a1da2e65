import { connectionArguments } from './sdl.ts';

/** What issues, pulls, reviews and comments have in common. */
export const discussionTypes = `
interface Closable { closed: Boolean! closedAt: DateTime viewerCanClose: Boolean! viewerCanReopen: Boolean! }
interface Lockable { activeLockReason: LockReason locked: Boolean! }
interface Assignable { assignees(${connectionArguments}): UserConnection! }
interface Labelable { labels(${connectionArguments}, orderBy: LabelOrder = {field: CREATED_AT, direction: ASC}): LabelConnection }
interface Minimizable { isMinimized: Boolean! minimizedReason: String viewerCanMinimize: Boolean! }
enum ReportedContentClassifiers {
  ABUSE
  DUPLICATE
  # Not in the published schema.
  LOW_QUALITY
  OFF_TOPIC OUTDATED RESOLVED SPAM
}
interface Reactable {
  databaseId: Int
  id: ID!
  reactionGroups: [ReactionGroup!]
  reactions(${connectionArguments}, content: ReactionContent, orderBy: ReactionOrder): ReactionConnection!
  viewerCanReact: Boolean!
}
interface Comment {
  author: Actor
  authorAssociation: CommentAuthorAssociation!
  body: String!
  bodyHTML: HTML!
  bodyText: String!
  createdAt: DateTime!
  createdViaEmail: Boolean!
  editor: Actor
  id: ID!
  includesCreatedEdit: Boolean!
  lastEditedAt: DateTime
  publishedAt: DateTime
  updatedAt: DateTime!
  viewerDidAuthor: Boolean!
}
type ReactionGroup {
  content: ReactionContent!
  createdAt: DateTime
  reactors(${connectionArguments}): ReactorConnection!
  subject: Reactable!
  users(${connectionArguments}): ReactingUserConnection!
  viewerHasReacted: Boolean!
}
type Reaction implements Node { content: ReactionContent! createdAt: DateTime! databaseId: Int id: ID! reactable: Reactable! user: User }
type ReactionConnection { edges: [ReactionEdge] nodes: [Reaction] pageInfo: PageInfo! totalCount: Int! viewerHasReacted: Boolean! }
type ReactionEdge { cursor: String! node: Reaction }
type ReactingUserConnection { edges: [ReactingUserEdge] nodes: [User] pageInfo: PageInfo! totalCount: Int! }
type ReactingUserEdge { cursor: String! node: User! reactedAt: DateTime! }
type ReactorConnection { edges: [ReactorEdge] nodes: [Reactor] pageInfo: PageInfo! totalCount: Int! }
type ReactorEdge { cursor: String! node: Reactor! reactedAt: DateTime! }
union Reactor = Bot | Organization | User
input ReactionOrder { direction: OrderDirection! field: ReactionOrderField! }
enum ReactionOrderField { CREATED_AT }
enum ReactionContent { CONFUSED EYES HEART HOORAY LAUGH ROCKET THUMBS_DOWN THUMBS_UP }
enum LockReason { OFF_TOPIC RESOLVED SPAM TOO_HEATED }
interface Updatable { viewerCanUpdate: Boolean! }
interface Deletable { viewerCanDelete: Boolean! }
interface RepositoryNode { repository: Repository! }
enum CommentAuthorAssociation { COLLABORATOR CONTRIBUTOR FIRST_TIMER FIRST_TIME_CONTRIBUTOR MANNEQUIN MEMBER NONE OWNER }
`;
