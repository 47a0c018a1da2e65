import type { KeysetBounds, RowKey } from '#platform/database/keyset-store.ts';

import {
  countTimelines,
  sliceTimelines,
  type TimelineEntry,
  type TimelineFilter,
} from '../../activity/timeline-store.ts';
import { commentsById } from '../../issues/comment-store.ts';
import { eventsById } from '../../issues/issue-event-store.ts';
import { listLabels } from '../../labels/label-store.ts';
import { caseless } from '../../model/account.ts';
import type { Comment } from '../../model/comment.ts';
import type { IssueEvent } from '../../model/issue-event.ts';
import type { Label } from '../../model/label.ts';
import type { Review } from '../../model/review.ts';
import type { Team } from '../../model/team.ts';
import type { Ports } from '../../ports/ports.ts';
import { reviewsById } from '../../reviews/review-store.ts';
import { teamsById } from '../../teams/team-store.ts';
import { createLoader } from '../engine/loader.ts';

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
  /** The labels of a repository, by their caseless names. */
  readonly labelsIn: (repositoryId: number) => Promise<ReadonlyMap<string, Label>>;
}

/** Labels of a repository are read whole. */
const listed = { offset: 0, size: 10_000 };

export function createTimelineLoaders({ database }: Ports): TimelineLoaders {
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
    labelsIn: createLoader(
      (id: number) => id,
      async (ids) => {
        const found = new Map<number, ReadonlyMap<string, Label>>();
        await database.read(async (sql) => {
          for (const id of ids) {
            const { labels } = await listLabels(sql, id, listed);
            found.set(id, new Map(labels.map((label) => [caseless(label.name), label])));
          }
        });
        return (id): ReadonlyMap<string, Label> => found.get(id) ?? new Map();
      },
    ),
  };
}

function teamIn({ eventDetails }: IssueEvent): number[] {
  return 'teamId' in eventDetails && eventDetails.teamId !== undefined ? [eventDetails.teamId] : [];
}

function byId<Row extends { readonly id: number }>(rows: readonly Row[]): Map<number, Row> {
  return new Map(rows.map((row) => [row.id, row]));
}
