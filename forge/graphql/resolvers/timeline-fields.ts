import type { RowKey } from '#platform/database/keyset-store.ts';

import type { TimelineFilter } from '../../activity/timeline-store.ts';
import { RefusalError } from '../../errors/api-error.ts';
import { branchRef, parseBranchName } from '../../git/names.ts';
import { timestamp } from '../../json/json-values.ts';
import { nodeId } from '../../json/node-id.ts';
import { type IssueEvent, issueEventTypes } from '../../model/issue-event.ts';
import { fullName } from '../../model/repository.ts';
import type { Team } from '../../model/team.ts';
import { type Arguments, optionalText, optionalTexts } from '../engine/arguments.ts';
import { connect, type Connection } from '../engine/connection.ts';
import { itemTypeOf } from '../schema/timelines.ts';
import { teamSource } from './account-fields.ts';
import { type Fields, type GraphqlContext, pathOfUrl, type Resolvers } from './context.ts';
import { commentSource, labelSource, lockReasonName } from './discussion-fields.ts';
import { findCommitSource, findRefSource } from './git-objects.ts';
import { commitIn, type PullCommitSource } from './pull-connections.ts';
import type {
  AccountSource,
  CommentSource,
  CommitSource,
  IssueSource,
  LabelSource,
  PullSource,
  RepositorySource,
  ReviewSource,
} from './sources.ts';
import type { TimelineItem } from './timeline-loaders.ts';

type Discussed = IssueSource | PullSource;

/** An event of an issue or pull. */
interface EventSource {
  readonly typeName: string;
  readonly at: RepositorySource;
  readonly of: Discussed;
  readonly event: IssueEvent;
  /** Whose review was requested. */
  readonly team: Team | undefined;
}

type Item = EventSource | CommentSource | ReviewSource | PullCommitSource;
interface Keyed {
  readonly node: Item;
  readonly key: RowKey;
}

/** What happened to an issue or pull, in the order of time. */
function timelineOf(of: Discussed, values: Arguments, context: GraphqlContext): Connection<Item> {
  const { access, loaders } = context;
  const { at } = of;
  const { id, number } = of.typeName === 'Issue' ? of.issue : of.pull;
  const { filter, withCommits } = filterOf(id, values);
  const enter = (): Promise<unknown> =>
    access({ id: at.repository.id }, 'issues/list-events-for-timeline', {
      issue_number: String(number),
    });
  const commits = async (): Promise<Keyed[]> =>
    of.typeName === 'PullRequest' && withCommits
      ? (await commitsOf(of, context)).filter(({ key }) => Number(key.by) >= filter.since)
      : [];
  return connect('timelineItems', values, {
    keys: 'number',
    total: async () => {
      await enter();
      return (await loaders.timelineSize(filter)) + (await commits()).length;
    },
    load: async (bounds) => {
      await enter();
      const { items, more } = await loaders.timeline({ filter, bounds });
      const entries = items.flatMap((item): Keyed[] => {
        const node = itemSource(of, item);
        return node ? [{ node, key: item.key }] : [];
      });
      const { after, before, fromEnd, size } = bounds;
      const pushed = (await commits()).filter(
        ({ key }) =>
          (!after || compareKeys(key, after) > 0) && (!before || compareKeys(key, before) < 0),
      );
      const all = [...entries, ...pushed].toSorted((one, other) => compareKeys(one.key, other.key));
      const shown = fromEnd ? all.slice(-size) : all.slice(0, size);
      return { items: shown, more: more || all.length > size };
    },
  });
}

function filterOf(
  issueId: number,
  values: Arguments,
): { readonly filter: TimelineFilter; readonly withCommits: boolean } {
  const wanted = optionalTexts(values, 'itemTypes');
  const has = (typeName: string): boolean => !wanted || wanted.includes(itemTypeOf(typeName));
  const since = optionalText(values, 'since');
  const events = Object.entries(issueEventTypes).filter(([, typeName]) => has(typeName));
  return {
    filter: {
      issueId,
      events: events.map(([event]) => event),
      comments: has('IssueComment'),
      reviews: has('PullRequestReview'),
      since: since === undefined ? 0 : Date.parse(since),
    },
    withCommits: has('PullRequestCommit'),
  };
}

async function commitsOf(of: PullSource, { loaders }: GraphqlContext): Promise<Keyed[]> {
  const commits = await loaders.timelineCommits(of);
  return commits.map(({ at, commit }, index) => ({
    node: commitIn(of, { typeName: 'Commit', at: of.at, commit }),
    key: { by: at, tie: index },
  }));
}

function compareKeys(one: RowKey, other: RowKey): number {
  return Number(one.by) - Number(other.by) || one.tie - other.tie;
}

function itemSource(of: Discussed, item: TimelineItem): Item | undefined {
  const { event, comment, review, team } = item;
  const { at } = of;
  if (comment) return commentSource(at, comment);
  if (event) {
    return { typeName: issueEventTypes[event.eventDetails.event], at, of, event, team };
  }
  return review && of.typeName === 'PullRequest'
    ? { typeName: 'PullRequestReview', at, pull: of.pull, review }
    : undefined;
}

const eventFields: Fields<EventSource> = {
  id: ({ typeName, event }) => nodeId(typeName, event.id),
  createdAt: ({ event }) => timestamp(event.createdAt),
  actor: ({ event }, _values, { loaders }) =>
    event.actorId === null ? null : loaders.account(event.actorId),
};

const ofPull: Fields<EventSource> = { ...eventFields, pullRequest: ({ of }) => of };

const withPage: Fields<EventSource> = {
  url: (source, _values, context) => urlOf(source, context),
  resourcePath: (source, _values, context) => pathOfUrl(urlOf(source, context)),
};

function urlOf({ at, of, event }: EventSource, { request }: GraphqlContext): string {
  const name = fullName(at.repository);
  const url =
    of.typeName === 'Issue'
      ? request.urls.issueHtml(name, of.issue.number)
      : request.urls.pullHtml(name, of.pull.number);
  return `${url}#event-${event.id}`;
}

const assignmentFields: Fields<EventSource> = {
  ...eventFields,
  assignable: ({ of }) => of,
  assignee: assigneeOf,
  user: async (source, _values, context) => {
    const account = await assigneeOf(source, _values, context);
    return account?.typeName === 'User' ? account : null;
  },
};

async function assigneeOf(
  source: EventSource,
  _values: unknown,
  { loaders }: GraphqlContext,
): Promise<AccountSource | null> {
  const { eventDetails } = source.event;
  return 'assigneeId' in eventDetails ? loaders.account(eventDetails.assigneeId) : null;
}

const labelFields: Fields<EventSource> = {
  ...eventFields,
  label: labelOf,
  labelable: ({ of }) => of,
};

/** The label with this name today; of one that is gone, what the event has stored. */
async function labelOf(
  source: EventSource,
  _values: unknown,
  { loaders }: GraphqlContext,
): Promise<LabelSource> {
  const { eventDetails } = source.event;
  const stored = 'label' in eventDetails ? eventDetails.label : { name: '', color: '' };
  const repositoryId = source.at.repository.id;
  const known = await loaders.labelNamed({ repositoryId, name: stored.name });
  return labelSource(source.at, known ?? { id: 0, description: null, ...stored });
}

const milestoneFields: Fields<EventSource> = {
  ...eventFields,
  milestoneTitle: ({ event: { eventDetails } }) =>
    'milestoneTitle' in eventDetails ? eventDetails.milestoneTitle : '',
  subject: ({ of }) => of,
};

const reviewerFields: Fields<EventSource> = {
  ...ofPull,
  requestedReviewer: ({ event: { eventDetails }, team }, _values, { loaders }) => {
    const id = 'reviewerId' in eventDetails ? eventDetails.reviewerId : undefined;
    if (id !== undefined) return loaders.account(id);
    return team ? teamSource({ team }) : null;
  },
};

const stateFields: Fields<EventSource> = {
  ...eventFields,
  closable: ({ of }) => of,
  stateReason: ({ of, event: { eventDetails: details } }) => {
    if (of.typeName !== 'Issue') return null;
    if (details.event === 'reopened') return 'REOPENED';
    return details.event === 'closed' ? (details.reason?.toUpperCase() ?? null) : null;
  },
};

const pinFields: Fields<EventSource> = { ...eventFields, issue: ({ of }) => of };

/** null for those who may not read it. */
async function formerRepository(
  { event: { eventDetails } }: EventSource,
  _values: unknown,
  { access }: GraphqlContext,
): Promise<RepositorySource | null> {
  if (eventDetails.event !== 'transferred') return null;
  try {
    return await access({ id: eventDetails.fromRepositoryId }, 'repos/get');
  } catch (error) {
    if (error instanceof RefusalError && error.refusal.kind === 'not-found') return null;
    throw error;
  }
}

const mergeFields: Fields<EventSource> = {
  ...ofPull,
  ...withPage,
  commit: commitOf,
  mergeRef: async ({ at, of }, _values, context) => {
    const name = of.typeName === 'PullRequest' ? parseBranchName(of.pull.base.ref) : undefined;
    return name ? findRefSource(at, branchRef(name), context) : null;
  },
  mergeRefName: ({ of }) => (of.typeName === 'PullRequest' ? of.pull.base.ref : ''),
};

async function commitOf(
  source: EventSource,
  _values: unknown,
  context: GraphqlContext,
): Promise<CommitSource | null> {
  const { eventDetails } = source.event;
  const commit = 'commit' in eventDetails ? eventDetails.commit : undefined;
  return commit === undefined ? null : findCommitSource(source.at, commit, context);
}

export const timelineResolvers: Resolvers = {
  Issue: { timelineItems: timelineOf } satisfies Fields<IssueSource>,
  PullRequest: { timelineItems: timelineOf } satisfies Fields<PullSource>,
  LabeledEvent: labelFields,
  UnlabeledEvent: labelFields,
  AssignedEvent: assignmentFields,
  UnassignedEvent: assignmentFields,
  MilestonedEvent: milestoneFields,
  DemilestonedEvent: milestoneFields,
  RenamedTitleEvent: {
    ...eventFields,
    previousTitle: ({ event: { eventDetails } }) =>
      'from' in eventDetails ? eventDetails.from : '',
    currentTitle: ({ event: { eventDetails } }) => ('to' in eventDetails ? eventDetails.to : ''),
    subject: ({ of }) => of,
  } satisfies Fields<EventSource>,
  LockedEvent: {
    ...eventFields,
    lockReason: ({ event: { eventDetails } }) =>
      lockReasonName(eventDetails.event === 'locked' ? eventDetails.reason : null),
    lockable: ({ of }) => of,
  } satisfies Fields<EventSource>,
  UnlockedEvent: { ...eventFields, lockable: ({ of }: EventSource) => of },
  ClosedEvent: { ...stateFields, ...withPage, closer: commitOf },
  ReopenedEvent: stateFields,
  PinnedEvent: pinFields,
  UnpinnedEvent: pinFields,
  TransferredEvent: { ...pinFields, fromRepository: formerRepository },
  MergedEvent: mergeFields,
  ReviewRequestedEvent: reviewerFields,
  ReviewRequestRemovedEvent: reviewerFields,
  ReadyForReviewEvent: { ...ofPull, ...withPage },
  ConvertToDraftEvent: { ...ofPull, ...withPage },
};
