import { connection, connectionArguments } from './sdl.ts';

const isRequired = 'isRequired(pullRequestId: ID, pullRequestNumber: Int): Boolean!';

export const checkTypes = `
extend type Commit {
  checkSuites(${connectionArguments}): CheckSuiteConnection
  status: Status
  statusCheckRollup: StatusCheckRollup
}
type StatusCheckRollup implements Node {
  commit: Commit
  contexts(${connectionArguments}): StatusCheckRollupContextConnection!
  id: ID!
  state: StatusState!
}
union StatusCheckRollupContext = CheckRun | StatusContext
${connection('StatusCheckRollupContext', {
  more: `checkRunCount: Int! checkRunCountsByState: [CheckRunStateCount!] statusContextCount: Int!
    statusContextCountsByState: [StatusContextStateCount!]`,
})}
type CheckRunStateCount { count: Int! state: CheckRunState! }
type StatusContextStateCount { count: Int! state: StatusState! }
type Status implements Node { commit: Commit context(name: String!): StatusContext contexts: [StatusContext!]! id: ID! state: StatusState! }
type StatusContext implements Node {
  avatarUrl(size: Int = 40): URI
  commit: Commit
  context: String!
  createdAt: DateTime!
  creator: Actor
  description: String
  id: ID!
  ${isRequired}
  state: StatusState!
  targetUrl: URI
}
type CheckRun implements Node & UniformResourceLocatable {
  checkSuite: CheckSuite!
  completedAt: DateTime
  conclusion: CheckConclusionState
  databaseId: Int
  detailsUrl: URI
  externalId: String
  id: ID!
  ${isRequired}
  name: String!
  permalink: URI!
  repository: Repository!
  resourcePath: URI!
  startedAt: DateTime
  status: CheckStatusState!
  summary: String
  text: String
  title: String
  url: URI!
}
type CheckSuite implements Node {
  app: App
  commit: Commit!
  conclusion: CheckConclusionState
  createdAt: DateTime!
  databaseId: Int
  id: ID!
  repository: Repository!
  resourcePath: URI!
  status: CheckStatusState!
  updatedAt: DateTime!
  url: URI!
  workflowRun: WorkflowRun
}
${connection('CheckSuite')}
type App implements Node { createdAt: DateTime! databaseId: Int description: String id: ID! logoUrl(size: Int): URI! name: String! slug: String! updatedAt: DateTime! url: URI! }
type WorkflowRun implements Node { databaseId: Int event: String! id: ID! url: URI! workflow: Workflow! }
type Workflow implements Node { databaseId: Int id: ID! name: String! url: URI! }
enum StatusState { ERROR EXPECTED FAILURE PENDING SUCCESS }
enum CheckStatusState { COMPLETED IN_PROGRESS PENDING QUEUED REQUESTED WAITING }
enum CheckConclusionState { ACTION_REQUIRED CANCELLED FAILURE NEUTRAL SKIPPED STALE STARTUP_FAILURE SUCCESS TIMED_OUT }
enum CheckRunState {
  ACTION_REQUIRED CANCELLED COMPLETED FAILURE IN_PROGRESS NEUTRAL PENDING QUEUED SKIPPED STALE STARTUP_FAILURE SUCCESS
  TIMED_OUT WAITING
}
`;
