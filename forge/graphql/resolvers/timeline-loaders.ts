import type { KeysetBounds, RowKey } from '#platform/database/keyset-store.ts';

import { timelineCommits } from '../../activity/timeline-commits.ts';
import {
  countTimelines,
  sliceTimelines,
  type TimelineEntry,
  type TimelineFilter,
} from '../../activity/timeline-store.ts';
import { commentsById } from '../../issues/comment-store.ts';
import { eventsById } from '../../issues/issue-event-store.ts';
import { labelsByName } from '../../labels/label-store.ts';
import { caseless } from '../../model/account.ts';
import type { Comment } from '../../model/comment.ts';
import type { IssueEvent } from '../../model/issue-event.ts';
import type { Label } from '../../model/label.ts';
import type { Review } from '../../model/review.ts';
import type { Team } from '../../model/team.ts';
import type { Ports } from '../../ports/ports.ts';
import { unlessDeleted } from '../../repositories/get-repository.ts';
import { reviewsById } from '../../reviews/review-store.ts';
import { teamsById } from '../../teams/team-store.ts';
import { createLoader } from '../engine/loader.ts';
import type { GraphqlContext } from './context.ts';
import type { PullSource } from './sources.ts';

interface TimelineRequest {
  readonly filter: TimelineFilter;
  readonly bounds: KeysetBounds;
}

/** An entry with its row: one of the three. */
export interface TimelineItem {
  readonly key: RowKey;
  readonly event?: IssueEvent | undefined;
  /** Whose review an event requested; secret teams are visible to their members only, and absent. */
  readonly team?: Team | undefined;
  readonly comment?: Comment | undefined;
  readonly review?: Review | undefined;
}

export interface TimelineLoaders {
  readonly timeline: (
    request: TimelineRequest,
  ) => Promise<{ readonly items: readonly TimelineItem[]; readonly more: boolean }>;
  readonly timelineSize: (filter: TimelineFilter) => Promise<number>;
  /** The commits of a pull, which git lists once whatever its aliases. */
  readonly timelineCommits: (of: PullSource) => ReturnType<typeof timelineCommits>;
  readonly labelNamed: (label: LabelName) => Promise<Label | undefined>;
}

interface LabelName {
  readonly repositoryId: number;
  readonly name: string;
}

export function createTimelineLoaders(
  { database, git }: Ports,
  inSlot: GraphqlContext['inSlot'],
): TimelineLoaders {
  return {
    timeline: createLoader(
      (request: TimelineRequest) => JSON.stringify(request),
      async (requests) => {
        const found = await database.read(async (sql) => {
          const slices = await sliceTimelines(sql, requests);
          const ids = (kind: TimelineEntry['kind']): number[] =>
            slices.flatMap(({ entries }) =>
              entries.flatMap((entry) => (entry.kind === kind ? [entry.id] : [])),
            );
          const events = byId(await eventsById(sql, ids('event')));
          const teamIds = [...events.values()].flatMap(teamIn);
          return {
            slices,
            events,
            teams: byId(teamIds.length === 0 ? [] : await teamsById(sql, teamIds)),
            comments: byId(await commentsById(sql, ids('comment'))),
            reviews: byId(await reviewsById(sql, ids('review'))),
          };
        });
        const itemOf = ({
          kind,
          id,
          key,
        }: TimelineEntry & { readonly key: RowKey }): TimelineItem => {
          if (kind === 'comment') return { key, comment: found.comments.get(id) };
          if (kind === 'review') return { key, review: found.reviews.get(id) };
          const event = found.events.get(id);
          const [teamId = 0] = event ? teamIn(event) : [];
          const team = found.teams.get(teamId);
          return { key, event, team: team?.privacy === 'secret' ? undefined : team };
        };
        const slices = new Map(requests.map((request, index) => [request, found.slices[index]]));
        return (request) => {
          const { entries, more } = slices.get(request) ?? { entries: [], more: false };
          return { items: entries.map(itemOf), more };
        };
      },
    ),
    timelineSize: createLoader(
      (filter: TimelineFilter) => JSON.stringify(filter),
      async (filters) => {
        const counts = await database.read((sql) => countTimelines(sql, filters));
        const sizes = new Map(filters.map((filter, index) => [filter, counts[index]]));
        return (filter) => sizes.get(filter) ?? 0;
      },
    ),
    timelineCommits: createLoader(
      ({ pull }: PullSource) => pull.id,
      async (sources) => {
        const found = new Map<PullSource, Awaited<ReturnType<typeof timelineCommits>>>();
        // One after the other: each is a child of git.
        for (const source of sources) {
          const { id } = source.at.repository;
          const read = (): ReturnType<typeof timelineCommits> =>
            inSlot(() => timelineCommits(git.repository(id), source.pull));
          found.set(source, await unlessDeleted(database, id, read, () => []));
        }
        return (source) => found.get(source) ?? [];
      },
    ),
    labelNamed: createLoader(keyOfLabel, async (wanted) => {
      const found = await database.readOne((sql) => labelsByName(sql, wanted));
      const labels = new Map(
        found.map(({ repositoryId, label }) => [
          keyOfLabel({ repositoryId, name: label.name }),
          label,
        ]),
      );
      return (name) => labels.get(keyOfLabel(name));
    }),
  };
}

function keyOfLabel({ repositoryId, name }: LabelName): string {
  return `${repositoryId} ${caseless(name)}`;
}

function teamIn({ eventDetails }: IssueEvent): number[] {
  return 'teamId' in eventDetails && eventDetails.teamId !== undefined ? [eventDetails.teamId] : [];
}

function byId<Row extends { readonly id: number }>(rows: readonly Row[]): Map<number, Row> {
  return new Map(rows.map((row) => [row.id, row]));
}
