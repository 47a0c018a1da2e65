import { connection, connectionArguments } from './sdl.ts';

const object = `abbreviatedOid: String! commitResourcePath: URI! commitUrl: URI! id: ID! oid: GitObjectID! repository: Repository!`;

const signature = `email: String! isValid: Boolean! payload: String! signature: String! signer: User
  state: GitSignatureState! verifiedAt: DateTime wasSignedByGitHub: Boolean!`;

export const gitTypes = `
interface GitObject { ${object} }
type Ref implements Node {
  branchProtectionRule: BranchProtectionRule
  id: ID!
  name: String!
  prefix: String!
  refUpdateRule: RefUpdateRule
  repository: Repository!
  target: GitObject
}
${connection('Ref')}
input RefOrder { direction: OrderDirection! field: RefOrderField! }
enum RefOrderField { ALPHABETICAL TAG_COMMIT_DATE }
type BranchProtectionRule implements Node {
  allowsDeletions: Boolean!
  allowsForcePushes: Boolean!
  dismissesStaleReviews: Boolean!
  id: ID!
  isAdminEnforced: Boolean!
  pattern: String!
  requiredApprovingReviewCount: Int
  requiredStatusCheckContexts: [String]
  requiresApprovingReviews: Boolean!
  requiresStatusChecks: Boolean!
  requiresStrictStatusChecks: Boolean!
}
type RefUpdateRule {
  allowsDeletions: Boolean!
  allowsForcePushes: Boolean!
  pattern: String!
  requiredApprovingReviewCount: Int
  requiredStatusCheckContexts: [String]
  requiresCodeOwnerReviews: Boolean!
  viewerCanPush: Boolean!
}
type Commit implements GitObject & Node & UniformResourceLocatable {
  ${object}
  additions: Int!
  author: GitActor
  authoredByCommitter: Boolean!
  authoredDate: DateTime!
  authors(${connectionArguments}): GitActorConnection!
  blame(path: String!): Blame!
  changedFiles: Int!
  changedFilesIfAvailable: Int
  committedDate: DateTime!
  committedViaWeb: Boolean!
  committer: GitActor
  deletions: Int!
  history(${connectionArguments}, path: String, since: GitTimestamp, until: GitTimestamp): CommitHistoryConnection!
  message: String!
  messageBody: String!
  messageHeadline: String!
  parents(${connectionArguments}): CommitConnection!
  resourcePath: URI!
  signature: GitSignature
  tree: Tree!
  treeResourcePath: URI!
  treeUrl: URI!
  url: URI!
}
${connection('Commit')}
${connection('Commit', { name: 'CommitHistory' })
  .replaceAll('CommitHistoryEdge', 'CommitEdge')
  .replace(/type CommitEdge .*/, '')}
interface GitSignature { ${signature} }
type GpgSignature implements GitSignature { ${signature} keyId: String }
type SshSignature implements GitSignature { ${signature} keyFingerprint: String }
type SmimeSignature implements GitSignature { ${signature} }
type UnknownSignature implements GitSignature { ${signature} }
enum GitSignatureState {
  BAD_CERT BAD_EMAIL EXPIRED_KEY GPGVERIFY_ERROR GPGVERIFY_UNAVAILABLE INVALID MALFORMED_SIG NOT_SIGNING_KEY NO_USER
  OCSP_ERROR OCSP_PENDING OCSP_REVOKED UNKNOWN_KEY UNKNOWN_SIG_TYPE UNSIGNED UNVERIFIED_EMAIL VALID
}
type Blame { ranges: [BlameRange!]! }
type BlameRange { age: Int! commit: Commit! endingLine: Int! startingLine: Int! }
type Tag implements GitObject & Node { ${object} message: String name: String! tagger: GitActor target: GitObject! }
type Tree implements GitObject & Node { ${object} entries: [TreeEntry!] }
type TreeEntry { mode: Int! name: String! object: GitObject oid: GitObjectID! path: String type: String! }
type Blob implements GitObject & Node { ${object} byteSize: Int! isBinary: Boolean isTruncated: Boolean! text: String }
type GitActor { avatarUrl(size: Int): URI! date: GitTimestamp email: String name: String user: User }
${connection('GitActor')}
`;
