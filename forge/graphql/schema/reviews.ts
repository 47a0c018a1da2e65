import { commentFields, commentInterfaces, connection, connectionArguments } from './sdl.ts';

const comment = `${commentFields}
  pullRequest: PullRequest!`;

export const reviewTypes = `
type PullRequestReview implements ${commentInterfaces} {
  ${comment}
  authorCanPushToRepository: Boolean!
  comments(${connectionArguments}): PullRequestReviewCommentConnection!
  commit: Commit
  state: PullRequestReviewState!
  submittedAt: DateTime
}
${connection('PullRequestReview')}
enum PullRequestReviewState { APPROVED CHANGES_REQUESTED COMMENTED DISMISSED PENDING }
enum PullRequestReviewDecision { APPROVED CHANGES_REQUESTED REVIEW_REQUIRED }

type PullRequestReviewComment implements ${commentInterfaces} {
  ${comment}
  commit: Commit
  diffHunk: String!
  draftedAt: DateTime!
  line: Int
  originalCommit: Commit
  originalLine: Int
  originalPosition: Int!
  originalStartLine: Int
  outdated: Boolean!
  path: String!
  position: Int
  pullRequestReview: PullRequestReview
  replyTo: PullRequestReviewComment
  startLine: Int
  state: PullRequestReviewCommentState!
  subjectType: PullRequestReviewThreadSubjectType!
}
${connection('PullRequestReviewComment')}
enum PullRequestReviewCommentState { PENDING SUBMITTED }

type PullRequestReviewThread implements Node {
  comments(${connectionArguments}, skip: Int): PullRequestReviewCommentConnection!
  diffSide: DiffSide!
  id: ID!
  isCollapsed: Boolean!
  isOutdated: Boolean!
  isResolved: Boolean!
  line: Int
  originalLine: Int
  originalStartLine: Int
  path: String!
  pullRequest: PullRequest!
  repository: Repository!
  resolvedBy: User
  startDiffSide: DiffSide
  startLine: Int
  subjectType: PullRequestReviewThreadSubjectType!
  viewerCanReply: Boolean!
  viewerCanResolve: Boolean!
  viewerCanUnresolve: Boolean!
}
${connection('PullRequestReviewThread')}
enum DiffSide { LEFT RIGHT }
enum PullRequestReviewThreadSubjectType { FILE LINE }
`;
