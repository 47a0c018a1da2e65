import { connection, connectionArguments } from './sdl.ts';

export const repositoryTypes = `
type Repository implements Node & Starrable & Subscribable & UniformResourceLocatable {
  archivedAt: DateTime
  assignableUsers(${connectionArguments}, query: String): UserConnection!
  autoMergeAllowed: Boolean!
  codeOfConduct: CodeOfConduct
  contactLinks: [RepositoryContactLink!]
  createdAt: DateTime!
  databaseId: Int
  defaultBranchRef: Ref
  deleteBranchOnMerge: Boolean!
  description: String
  diskUsage: Int
  forkCount: Int!
  forkingAllowed: Boolean!
  forks(${connectionArguments}, affiliations: [RepositoryAffiliation], orderBy: RepositoryOrder,
    ownerAffiliations: [RepositoryAffiliation] = [OWNER, COLLABORATOR], privacy: RepositoryPrivacy): RepositoryConnection!
  fundingLinks: [FundingLink!]!
  hasDiscussionsEnabled: Boolean!
  hasIssuesEnabled: Boolean!
  hasProjectsEnabled: Boolean!
  hasVulnerabilityAlertsEnabled: Boolean!
  hasWikiEnabled: Boolean!
  homepageUrl: URI
  id: ID!
  isArchived: Boolean!
  isBlankIssuesEnabled: Boolean!
  isDisabled: Boolean!
  isEmpty: Boolean!
  isFork: Boolean!
  isInOrganization: Boolean!
  isLocked: Boolean!
  isMirror: Boolean!
  isPrivate: Boolean!
  isSecurityPolicyEnabled: Boolean
  isTemplate: Boolean!
  isUserConfigurationRepository: Boolean!
  issueTemplates: [IssueTemplate!]
  languages(${connectionArguments}, orderBy: LanguageOrder): LanguageConnection
  latestRelease: Release
  licenseInfo: License
  mentionableUsers(${connectionArguments}, query: String): UserConnection!
  mergeCommitAllowed: Boolean!
  mergeQueue(branch: String): MergeQueue
  mirrorUrl: URI
  name: String!
  nameWithOwner: String!
  object(expression: String, oid: GitObjectID): GitObject
  openGraphImageUrl: URI!
  owner: RepositoryOwner!
  parent: Repository
  pinnedIssues(${connectionArguments}): PinnedIssueConnection
  primaryLanguage: Language
  pullRequestTemplates: [PullRequestTemplate!]
  pushedAt: DateTime
  rebaseMergeAllowed: Boolean!
  ref(qualifiedName: String!): Ref
  refs(${connectionArguments}, direction: OrderDirection, orderBy: RefOrder, query: String, refPrefix: String!): RefConnection
  release(tagName: String!): Release
  releases(${connectionArguments}, orderBy: ReleaseOrder): ReleaseConnection!
  repositoryTopics(${connectionArguments}): RepositoryTopicConnection!
  resourcePath: URI!
  rulesets(${connectionArguments}, includeParents: Boolean = true): RepositoryRulesetConnection
  securityPolicyUrl: URI
  squashMergeAllowed: Boolean!
  sshUrl: GitSSHRemote!
  stargazerCount: Int!
  stargazers(${connectionArguments}, orderBy: StarOrder): StargazerConnection!
  templateRepository: Repository
  updatedAt: DateTime!
  url: URI!
  usesCustomOpenGraphImage: Boolean!
  viewerCanAdminister: Boolean!
  viewerCanSubscribe: Boolean!
  viewerDefaultCommitEmail: String
  viewerDefaultMergeMethod: PullRequestMergeMethod!
  viewerHasStarred: Boolean!
  viewerPermission: RepositoryPermission
  viewerPossibleCommitEmails: [String!]
  viewerSubscription: SubscriptionState
  visibility: RepositoryVisibility!
  watchers(${connectionArguments}): UserConnection!
}
${connection('Repository')}
input RepositoryOrder { direction: OrderDirection! field: RepositoryOrderField! }
enum RepositoryOrderField { CREATED_AT NAME PUSHED_AT STARGAZERS UPDATED_AT }
type StargazerConnection { edges: [StargazerEdge] nodes: [User] pageInfo: PageInfo! totalCount: Int! }
type StargazerEdge { cursor: String! node: User! starredAt: DateTime! }
type StarredRepositoryConnection {
  edges: [StarredRepositoryEdge]
  isOverLimit: Boolean!
  nodes: [Repository]
  pageInfo: PageInfo!
  totalCount: Int!
}
type StarredRepositoryEdge { cursor: String! node: Repository! starredAt: DateTime! }
input StarOrder { direction: OrderDirection! field: StarOrderField! }
enum StarOrderField { STARRED_AT }
enum RepositoryPrivacy { PRIVATE PUBLIC }
enum RepositoryVisibility { INTERNAL PRIVATE PUBLIC }
enum PullRequestMergeMethod { MERGE REBASE SQUASH }
enum RepositoryPermission { ADMIN MAINTAIN READ TRIAGE WRITE }

type Topic implements Node { id: ID! name: String! }
type RepositoryTopic implements Node { id: ID! topic: Topic! }
${connection('RepositoryTopic')}
type Language implements Node { color: String id: ID! name: String! }
type LanguageConnection { edges: [LanguageEdge] nodes: [Language] pageInfo: PageInfo! totalCount: Int! totalSize: Int! }
type LanguageEdge { cursor: String! node: Language! size: Int! }
input LanguageOrder { direction: OrderDirection! field: LanguageOrderField! }
enum LanguageOrderField { SIZE }
type License implements Node { id: ID! key: String! name: String! nickname: String spdxId: String url: URI }
type CodeOfConduct implements Node { body: String id: ID! key: String! name: String! url: URI }
type RepositoryContactLink { about: String! name: String! url: URI! }
type FundingLink { platform: FundingPlatform! url: URI! }
enum FundingPlatform { CUSTOM GITHUB }
type IssueTemplate { about: String body: String name: String! title: String }
type PullRequestTemplate { body: String filename: String repository: Repository! }
type Release implements Node & UniformResourceLocatable {
  author: User
  createdAt: DateTime!
  databaseId: Int
  description: String
  id: ID!
  isDraft: Boolean!
  isLatest: Boolean!
  isPrerelease: Boolean!
  name: String
  publishedAt: DateTime
  repository: Repository!
  resourcePath: URI!
  tag: Ref
  tagCommit: Commit
  tagName: String!
  updatedAt: DateTime!
  url: URI!
}
${connection('Release')}
input ReleaseOrder { direction: OrderDirection! field: ReleaseOrderField! }
enum ReleaseOrderField { CREATED_AT NAME }
type RepositoryRuleset implements Node {
  databaseId: Int
  enforcement: RuleEnforcement!
  id: ID!
  name: String!
  rules(${connectionArguments}): RepositoryRuleConnection
  source: RuleSource!
  target: RepositoryRulesetTarget
}
union RuleSource = Organization | Repository
enum RepositoryRulesetTarget { BRANCH PUSH REPOSITORY TAG }
${connection('RepositoryRuleset')}
type RepositoryRule implements Node { id: ID! }
${connection('RepositoryRule')}
enum RuleEnforcement { ACTIVE DISABLED EVALUATE }
type MergeQueue implements Node {
  configuration: MergeQueueConfiguration
  entries(${connectionArguments}): MergeQueueEntryConnection
  id: ID!
  nextEntryEstimatedTimeToMerge: Int
  repository: Repository
  resourcePath: URI!
  url: URI!
}
type MergeQueueConfiguration { mergeMethod: PullRequestMergeMethod }
`;
