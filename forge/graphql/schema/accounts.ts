import { connection, connectionArguments } from './sdl.ts';

const repositories = `repositories(${connectionArguments}, affiliations: [RepositoryAffiliation], hasIssuesEnabled: Boolean, isArchived: Boolean,
  isFork: Boolean, isLocked: Boolean, orderBy: RepositoryOrder,
  ownerAffiliations: [RepositoryAffiliation] = [OWNER, COLLABORATOR], privacy: RepositoryPrivacy,
  visibility: RepositoryVisibility): RepositoryConnection!`;

const repository = 'repository(followRenames: Boolean = true, name: String!): Repository';

export const accountTypes = `
interface Actor { avatarUrl(size: Int): URI! login: String! resourcePath: URI! url: URI! }
interface RepositoryOwner {
  avatarUrl(size: Int): URI!
  id: ID!
  login: String!
  ${repositories}
  ${repository}
  resourcePath: URI!
  url: URI!
}
interface ProfileOwner { email: String id: ID! location: String login: String! name: String websiteUrl: URI }

type User implements Actor & Node & ProfileOwner & RepositoryOwner & UniformResourceLocatable {
  avatarUrl(size: Int): URI!
  bio: String
  company: String
  createdAt: DateTime!
  databaseId: Int
  email: String!
  followers(${connectionArguments}): FollowerConnection!
  following(${connectionArguments}): FollowingConnection!
  id: ID!
  isSiteAdmin: Boolean!
  isViewer: Boolean!
  location: String
  login: String!
  name: String
  organization(login: String!): Organization
  organizations(${connectionArguments}): OrganizationConnection!
  publicKeys(${connectionArguments}): PublicKeyConnection!
  ${repositories}
  ${repository}
  resourcePath: URI!
  starredRepositories(${connectionArguments}, orderBy: StarOrder, ownedByViewer: Boolean): StarredRepositoryConnection!
  updatedAt: DateTime!
  url: URI!
  viewerCanFollow: Boolean!
  viewerIsFollowing: Boolean!
  watching(${connectionArguments}, orderBy: RepositoryOrder, ownerAffiliations: [RepositoryAffiliation] = [OWNER, COLLABORATOR], privacy: RepositoryPrivacy): RepositoryConnection!
  websiteUrl: URI
}
type FollowerConnection { edges: [UserEdge] nodes: [User] pageInfo: PageInfo! totalCount: Int! }
type FollowingConnection { edges: [UserEdge] nodes: [User] pageInfo: PageInfo! totalCount: Int! }
type Organization implements Actor & Node & ProfileOwner & RepositoryOwner & UniformResourceLocatable {
  avatarUrl(size: Int): URI!
  createdAt: DateTime!
  databaseId: Int
  description: String
  email: String
  id: ID!
  location: String
  login: String!
  membersWithRole(${connectionArguments}): OrganizationMemberConnection!
  name: String
  ${repositories}
  ${repository}
  resourcePath: URI!
  team(slug: String!): Team
  rulesets(${connectionArguments}, includeParents: Boolean = true): RepositoryRulesetConnection
  teams(${connectionArguments}, orderBy: TeamOrder, privacy: TeamPrivacy, query: String, role: TeamRole, rootTeamsOnly: Boolean = false,
    userLogins: [String!]): TeamConnection!
  updatedAt: DateTime!
  url: URI!
  viewerCanAdminister: Boolean!
  viewerIsAMember: Boolean!
  websiteUrl: URI
}
type Bot implements Actor & Node & UniformResourceLocatable {
  avatarUrl(size: Int): URI!
  createdAt: DateTime!
  databaseId: Int
  id: ID!
  login: String!
  resourcePath: URI!
  updatedAt: DateTime!
  url: URI!
}
type Mannequin implements Actor & Node & UniformResourceLocatable {
  avatarUrl(size: Int): URI!
  id: ID!
  login: String!
  resourcePath: URI!
  url: URI!
}
type Team implements Node {
  avatarUrl(size: Int = 400): URI
  combinedSlug: String!
  createdAt: DateTime!
  databaseId: Int
  description: String
  id: ID!
  members(${connectionArguments}): TeamMemberConnection!
  name: String!
  organization: Organization!
  privacy: TeamPrivacy!
  resourcePath: URI!
  slug: String!
  updatedAt: DateTime!
  url: URI!
}
extend type User {
  contributionsCollection(from: DateTime, organizationID: ID, to: DateTime): ContributionsCollection!
  issues(${connectionArguments}, filterBy: IssueFilters, labels: [String!], orderBy: IssueOrder, states: [IssueState!]): IssueConnection!
  pullRequests(${connectionArguments}, baseRefName: String, headRefName: String, labels: [String!], orderBy: IssueOrder,
    states: [PullRequestState!]): PullRequestConnection!
}
extend type Team { repositories(${connectionArguments}, query: String): TeamRepositoryConnection! }
type TeamRepositoryConnection { edges: [TeamRepositoryEdge] nodes: [Repository] pageInfo: PageInfo! totalCount: Int! }
type TeamRepositoryEdge { cursor: String! node: Repository! }
type ContributionsCollection {
  commitContributionsByRepository(maxRepositories: Int = 25): [CommitContributionsByRepository!]!
}
type CommitContributionsByRepository {
  contributions(${connectionArguments}): CreatedCommitContributionConnection! repository: Repository!
}
type CreatedCommitContribution { occurredAt: DateTime! }
type CreatedCommitContributionConnection {
  edges: [CreatedCommitContributionEdge] nodes: [CreatedCommitContribution] pageInfo: PageInfo! totalCount: Int!
}
type CreatedCommitContributionEdge { cursor: String! node: CreatedCommitContribution }
${connection('User')}
${connection('PublicKey')}
type PublicKey implements Node { accessedAt: DateTime createdAt: DateTime fingerprint: String! id: ID! isReadOnly: Boolean key: String! }
${connection('Organization')}
${connection('User', { name: 'OrganizationMember' })}
${connection('Team')}
type TeamMemberConnection { edges: [TeamMemberEdge] nodes: [User] pageInfo: PageInfo! totalCount: Int! }
type TeamMemberEdge { cursor: String! node: User! }
enum TeamPrivacy { SECRET VISIBLE }
enum TeamRole { ADMIN MEMBER }
input TeamOrder { direction: OrderDirection! field: TeamOrderField! }
enum TeamOrderField { NAME }
enum RepositoryAffiliation { COLLABORATOR ORGANIZATION_MEMBER OWNER }
`;
