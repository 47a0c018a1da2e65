import { connectionArguments } from './sdl.ts';

const absentOfBoth: readonly string[] = [
  'AddedToProjectEvent',
  'CommentDeletedEvent',
  'ConnectedEvent',
  'ConvertedNoteToIssueEvent',
  'ConvertedToDiscussionEvent',
  'DisconnectedEvent',
  'MarkedAsDuplicateEvent',
  'MentionedEvent',
  'MovedColumnsInProjectEvent',
  'ParentIssueAddedEvent',
  'ParentIssueRemovedEvent',
  'ReferencedEvent',
  'RemovedFromProjectEvent',
  'SubIssueAddedEvent',
  'SubIssueRemovedEvent',
  'SubscribedEvent',
  'UnmarkedAsDuplicateEvent',
  'UnsubscribedEvent',
  'UserBlockedEvent',
];

const absentOfPulls: readonly string[] = [
  'AddedToMergeQueueEvent',
  'AutoMergeDisabledEvent',
  'AutoMergeEnabledEvent',
  'AutoRebaseEnabledEvent',
  'AutoSquashEnabledEvent',
  'AutomaticBaseChangeFailedEvent',
  'AutomaticBaseChangeSucceededEvent',
  'BaseRefDeletedEvent',
  'BaseRefForcePushedEvent',
  'DeployedEvent',
  'DeploymentEnvironmentChangedEvent',
  'HeadRefForcePushedEvent',
  'HeadRefRestoredEvent',
  'RemovedFromMergeQueueEvent',
  'ReviewDismissedEvent',
];

/** Nothing here causes these events; VS Code asks for the time of most of them. */
export const absentEvents: readonly string[] = [...absentOfBoth, ...absentOfPulls];

/** Of issues and pulls. */
const common: readonly string[] = [
  'AssignedEvent',
  'ClosedEvent',
  'CrossReferencedEvent',
  'DemilestonedEvent',
  'IssueComment',
  'LabeledEvent',
  'LockedEvent',
  'MilestonedEvent',
  'PinnedEvent',
  'RenamedTitleEvent',
  'ReopenedEvent',
  'TransferredEvent',
  'UnassignedEvent',
  'UnlabeledEvent',
  'UnlockedEvent',
  'UnpinnedEvent',
  ...absentOfBoth,
];

const ofPulls: readonly string[] = [
  ...common,
  'BaseRefChangedEvent',
  'ConvertToDraftEvent',
  'HeadRefDeletedEvent',
  'MergedEvent',
  'PullRequestCommit',
  'PullRequestCommitCommentThread',
  'PullRequestReview',
  'PullRequestReviewThread',
  'PullRequestRevisionMarker',
  'ReadyForReviewEvent',
  'ReviewRequestRemovedEvent',
  'ReviewRequestedEvent',
  ...absentOfPulls,
];

/** `LABELED_EVENT` of `LabeledEvent`. */
export function itemTypeOf(name: string): string {
  return name.replaceAll(/(?<=[a-z])[A-Z]/g, '_$&').toUpperCase();
}

function timeline(of: 'Issue' | 'PullRequest', names: readonly string[]): string {
  return `
extend type ${of} {
  timelineItems(${connectionArguments}, itemTypes: [${of}TimelineItemsItemType!], since: DateTime): ${of}TimelineItemsConnection!
}
union ${of}TimelineItems = ${names.join(' | ')}
enum ${of}TimelineItemsItemType { ${names.map(itemTypeOf).join(' ')} }
type ${of}TimelineItemsConnection {
  edges: [${of}TimelineItemsEdge] nodes: [${of}TimelineItems] pageInfo: PageInfo! totalCount: Int!
}
type ${of}TimelineItemsEdge { cursor: String! node: ${of}TimelineItems }`;
}

const event = 'actor: Actor createdAt: DateTime! id: ID!';
const withPage = `${event} pullRequest: PullRequest! resourcePath: URI! url: URI!`;

export const timelineTypes = `
${timeline('Issue', common)}
${timeline('PullRequest', ofPulls)}
union Assignee = Bot | Mannequin | Organization | User
union Closer = Commit | ProjectV2 | PullRequest
union MilestoneItem = Issue | PullRequest
union ReferencedSubject = Issue | PullRequest
union RenamedTitleSubject = Issue | PullRequest
type AssignedEvent implements Node { ${event} assignable: Assignable! assignee: Assignee user: User }
type UnassignedEvent implements Node { ${event} assignable: Assignable! assignee: Assignee user: User }
type LabeledEvent implements Node { ${event} label: Label! labelable: Labelable! }
type UnlabeledEvent implements Node { ${event} label: Label! labelable: Labelable! }
type MilestonedEvent implements Node { ${event} milestoneTitle: String! subject: MilestoneItem! }
type DemilestonedEvent implements Node { ${event} milestoneTitle: String! subject: MilestoneItem! }
type RenamedTitleEvent implements Node {
  ${event} currentTitle: String! previousTitle: String! subject: RenamedTitleSubject!
}
type LockedEvent implements Node { ${event} lockReason: LockReason lockable: Lockable! }
type UnlockedEvent implements Node { ${event} lockable: Lockable! }
type ClosedEvent implements Node & UniformResourceLocatable {
  ${event} closable: Closable! closer: Closer resourcePath: URI! stateReason: IssueStateReason url: URI!
}
type ReopenedEvent implements Node { ${event} closable: Closable! stateReason: IssueStateReason }
type PinnedEvent implements Node { ${event} issue: Issue! }
type UnpinnedEvent implements Node { ${event} issue: Issue! }
type TransferredEvent implements Node { ${event} fromRepository: Repository issue: Issue! }
type MergedEvent implements Node & UniformResourceLocatable {
  ${withPage} commit: Commit mergeRef: Ref mergeRefName: String!
}
type ReviewRequestedEvent implements Node { ${event} pullRequest: PullRequest! requestedReviewer: RequestedReviewer }
type ReviewRequestRemovedEvent implements Node { ${event} pullRequest: PullRequest! requestedReviewer: RequestedReviewer }
type ReadyForReviewEvent implements Node & UniformResourceLocatable { ${withPage} }
type ConvertToDraftEvent implements Node & UniformResourceLocatable { ${withPage} }
type CrossReferencedEvent implements Node & UniformResourceLocatable {
  ${event} isCrossRepository: Boolean! referencedAt: DateTime! resourcePath: URI! source: ReferencedSubject!
  target: ReferencedSubject! url: URI! willCloseTarget: Boolean!
}
type HeadRefDeletedEvent implements Node { ${event} headRef: Ref headRefName: String! pullRequest: PullRequest! }
type BaseRefChangedEvent implements Node {
  ${event} currentRefName: String! previousRefName: String! pullRequest: PullRequest!
}
type PullRequestRevisionMarker { createdAt: DateTime! lastSeenCommit: Commit! pullRequest: PullRequest! }
type PullRequestCommitCommentThread implements Node { commit: Commit! id: ID! path: String position: Int }
${absentEvents.map((name) => `type ${name} implements Node { ${event} }`).join('\n')}
`;
