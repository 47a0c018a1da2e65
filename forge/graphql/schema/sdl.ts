/** The arguments of every connection. */
export const connectionArguments = 'after: String, before: String, first: Int, last: Int';

/** A connection and its edges; `more` are fields of the connection that others do not have. */
export function connection(of: string, { name = of, more = '' } = {}): string {
  return `
type ${name}Connection { edges: [${name}Edge] nodes: [${of}] pageInfo: PageInfo! totalCount: Int! ${more} }
type ${name}Edge { cursor: String! node: ${of} }
`;
}

/** What every comment of an issue, pull or review implements. */
export const commentInterfaces =
  'Comment & Deletable & Minimizable & Node & Reactable & RepositoryNode & Updatable';

export const commentFields = `
  author: Actor
  authorAssociation: CommentAuthorAssociation!
  body: String!
  bodyHTML: HTML!
  bodyText: String!
  createdAt: DateTime!
  createdViaEmail: Boolean!
  databaseId: Int
  editor: Actor
  fullDatabaseId: BigInt
  id: ID!
  includesCreatedEdit: Boolean!
  isMinimized: Boolean!
  lastEditedAt: DateTime
  minimizedReason: String
  publishedAt: DateTime
  reactionGroups: [ReactionGroup!]
  reactions(${connectionArguments}, content: ReactionContent, orderBy: ReactionOrder): ReactionConnection!
  repository: Repository!
  resourcePath: URI!
  updatedAt: DateTime!
  url: URI!
  viewerCanDelete: Boolean!
  viewerCanMinimize: Boolean!
  viewerCanReact: Boolean!
  viewerCanUpdate: Boolean!
  viewerDidAuthor: Boolean!`;
