import type { Sql } from '#platform/database/database.ts';

import { notFound } from '../errors/api-error.ts';
import type { Commit } from '../git/git.ts';
import { representGitCommit } from '../git-data/git-object-json.ts';
import type { Format } from '../http/media-types.ts';
import { page as pageResult } from '../http/endpoint-result.ts';
import { commentsById } from '../issues/comment-store.ts';
import { describeComments } from '../issues/describe-comments.ts';
import { describeEvents } from '../issues/describe-events.ts';
import { eventsById } from '../issues/issue-event-store.ts';
import { findIssue } from '../issues/issue-store.ts';
import type { Json } from '../json/json-values.ts';
import type { Urls } from '../json/urls.ts';
import type { Issue } from '../model/issue.ts';
import type { Repository } from '../model/repository.ts';
import { pullsById } from '../pulls/pull-store.ts';
import { mayRead } from '../repositories/repository-access.ts';
import { describeReviews } from '../reviews/describe-reviews.ts';
import { reviewsById } from '../reviews/review-store.ts';
import { repositoryEndpoint, type Endpoint } from '../routing/endpoint.ts';
import { timelineCommits } from './timeline-commits.ts';
import { type TimelineEntry, timelineEntries } from './timeline-store.ts';

/** An entry of the database, or a commit of the pull. */
type Item =
  | TimelineEntry
  | { readonly kind: 'commit'; readonly at: number; readonly commit: Commit };

/** What happened to an issue or pull, with what was said and pushed. */
export const timelineRoutes: readonly Endpoint[] = [
  repositoryEndpoint({
    operation: 'issues/list-events-for-timeline',
    method: 'GET',
    path: '/repos/:owner/:repo/issues/:issue_number/timeline',
    docs: 'issues#list-timeline-events-for-an-issue',
    acceptedScopes: 'repo',
    policy: mayRead,
    cacheable: true,
    async handle({ path, page, media, urls }, { repository }, ports) {
      const { issue, pull } = await ports.database.read(async (sql) => {
        const found = await findIssue(sql, repository.id, path.issue_number);
        if (!found) return notFound();
        const [own] = found.pull ? await pullsById(sql, [found.id]) : [];
        return { issue: found, pull: own };
      });
      const git = ports.git.repository(repository.id);
      const commits = pull ? await timelineCommits(git, pull) : [];
      return ports.database.read(async (sql) => {
        // So many entries before the page can be displaced by commits.
        const start = Math.max(0, page.offset - commits.length);
        const size = page.offset - start + page.size;
        const { entries, total } = await timelineEntries(sql, issue.id, { offset: start, size });
        const { items, first } = merge(commits, entries, start);
        const shown = items.slice(page.offset - first, page.offset - first + page.size);
        const body = await describeItems(sql, { repository, issue, items: shown, media, urls });
        return pageResult(body, total + commits.length);
      });
    },
  }),
];

/** Commits by their times among entries of which `start` came before; `first`: the position of the first item. */
function merge(
  commits: readonly { readonly at: number; readonly commit: Commit }[],
  entries: readonly TimelineEntry[],
  start: number,
): { items: Item[]; first: number } {
  const timed = commits.map((each): Item => ({ kind: 'commit', ...each }));
  const [earliest] = entries;
  const before = start === 0 || !earliest ? 0 : timed.filter(({ at }) => at <= earliest.at).length;
  const items = [...timed.slice(before), ...entries].toSorted((one, other) => one.at - other.at);
  return { items, first: start + before };
}

async function describeItems(
  sql: Sql,
  shown: {
    readonly repository: Repository;
    readonly issue: Issue;
    readonly items: readonly Item[];
    readonly media: { readonly format: Format };
    readonly urls: Urls;
  },
): Promise<Json[]> {
  const { repository, issue, items, media, urls } = shown;
  const ids = (kind: TimelineEntry['kind']): number[] =>
    items.flatMap((item) => (item.kind === kind ? [item.id] : []));
  const events = await eventsById(sql, ids('event'));
  const comments = await commentsById(sql, ids('comment'));
  const reviews = await reviewsById(sql, ids('review'));
  const described = {
    event: byId(events, await describeEvents(sql, repository, events, urls)),
    comment: byId(comments, await describeComments(sql, repository, comments, media.format, urls)),
    review: byId(
      reviews,
      await describeReviews(sql, repository, issue.number, reviews, { media, urls }),
    ),
  };
  return items.flatMap((item): Json[] => {
    if (item.kind === 'commit') {
      return [{ ...representGitCommit(item.commit, repository, urls), event: 'committed' }];
    }
    const body = described[item.kind].get(item.id);
    if (!isObject(body)) return [];
    if (item.kind === 'event') return [body];
    const event = item.kind === 'comment' ? 'commented' : 'reviewed';
    return [
      { ...body, event, ...(item.kind === 'comment' ? { actor: body['user'] ?? null } : {}) },
    ];
  });
}

function byId(
  rows: readonly { readonly id: number }[],
  bodies: readonly Json[],
): Map<number, Json> {
  return new Map(rows.map(({ id }, index) => [id, bodies[index] ?? null]));
}

function isObject(value: Json | undefined): value is { [field: string]: Json } {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
