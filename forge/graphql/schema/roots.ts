import { connectionArguments } from './sdl.ts';

/** The roots, scalars, and the interfaces that several files share. */
export const rootTypes = `
scalar Base64String
scalar BigInt
scalar DateTime
scalar GitObjectID
scalar GitSSHRemote
scalar GitTimestamp
scalar HTML
scalar URI

schema { query: Query mutation: Mutation }

type Query implements Node {
  id: ID!
  node(id: ID!): Node
  nodes(ids: [ID!]!): [Node]!
  organization(login: String!): Organization
  rateLimit(dryRun: Boolean = false): RateLimit
  relay: Query!
  repository(followRenames: Boolean = true, name: String!, owner: String!): Repository
  repositoryOwner(login: String!): RepositoryOwner
  search(${connectionArguments}, query: String!, type: SearchType!): SearchResultItemConnection!
  user(login: String!): User
  viewer: User!
}

interface Node { id: ID! }
interface UniformResourceLocatable { resourcePath: URI! url: URI! }
interface Subscribable { id: ID! viewerCanSubscribe: Boolean! viewerSubscription: SubscriptionState }
interface Starrable { id: ID! stargazerCount: Int! viewerHasStarred: Boolean! }

type PageInfo { endCursor: String hasNextPage: Boolean! hasPreviousPage: Boolean! startCursor: String }
type RateLimit { cost: Int! limit: Int! nodeCount: Int! remaining: Int! resetAt: DateTime! used: Int! }


enum OrderDirection { ASC DESC }
enum SubscriptionState { IGNORED SUBSCRIBED UNSUBSCRIBED }
`;
