import { setImmediate } from 'node:timers/promises';

import type { Database } from '#platform/database/database.ts';

import { fieldsOf, issueQualifiers, isSlow } from './issue-qualifiers-store.ts';
import {
  type FoundIssue,
  type IdRange,
  type IssueOrder,
  lastIssueId,
  listCandidates,
  readCommentTexts,
  readTexts,
} from './issue-search-store.ts';
import { createTextMatcher, type TextMatcher } from './match-texts.ts';
import { requireReachableScopes } from './search-conditions-store.ts';
import { type Criterion, parseSearchQuery, textsOf } from './search-query.ts';
import { readSearchOrder } from './search-order.ts';
import type { Searcher } from './searcher.ts';

export interface IssueSearch {
  readonly criterion: Criterion;
  readonly order: IssueOrder;
}

export interface FoundIssues {
  /** In order. */
  readonly issues: readonly FoundIssue[];
  /** Whether some were not looked at. */
  readonly incomplete: boolean;
}

/** Issues that a search considers; then its results are incomplete. */
const candidatesMax = 100_000;

/** Time of a search for issues; then its results are incomplete. */
const milliseconds = 2000;

/** Time of each part of a search for issues: SQLite reads in the thread that serves everybody. */
const partMilliseconds = 10;

/** Issues or comments whose texts a search reads at once; bodies and comments have up to 64 KiB each. */
const textsMax = 100;

export function parseIssueSearch(
  text: string,
  query: { readonly sort: string | null; readonly order: string | null },
): IssueSearch {
  const { criterion, sort } = parseSearchQuery(text, issueQualifiers);
  const sorts = ['created', 'updated', 'comments', 'interactions'] as const;
  const { by = 'created', descending } = readSearchOrder(sorts, sort, query);
  return {
    criterion: withCommits(criterion),
    order: { by: by === 'interactions' ? 'comments' : by, descending },
  };
}

/** Ids of commits, whole or abbreviated, find the pulls of those commits; several find the pulls of any. */
function withCommits(criterion: Criterion): Criterion {
  if (criterion.kind === 'any') return { kind: 'any', parts: criterion.parts.map(withCommits) };
  if (criterion.kind !== 'all') return criterion;
  const commits = criterion.parts.filter(isCommit);
  if (commits.length === 0) return { kind: 'all', parts: criterion.parts.map(withCommits) };
  const values = textsOf({ kind: 'all', parts: commits });
  const others = criterion.parts.filter((part) => !isCommit(part)).map(withCommits);
  const found = [...commits, { kind: 'qualifier', name: 'sha', values } as const];
  return { kind: 'all', parts: [...others, { kind: 'any', parts: found }] };
}

function isCommit(part: Criterion): boolean {
  return part.kind === 'text' && /^[0-9a-f]{7,40}$/i.test(part.text);
}

/**
 * Finds the issues and pulls that the searcher may read and that meet the criterion: first by their columns and indexes, then by
 * texts and by what takes long, in parts, so that others are served in between, and for a limited time.
 */
export async function findIssues(
  database: Database,
  { criterion, order }: IssueSearch,
  searcher: Searcher,
  monotonic: () => number = () => performance.now(),
): Promise<FoundIssues> {
  const end = monotonic() + milliseconds;
  const isLate = (): boolean => monotonic() > end;
  const parts = criterion.kind === 'all' ? criterion.parts : [criterion];
  const quick = parts.filter((part) => !isSlow(part));
  const slow = parts.filter(isSlow);
  await database.read((sql) => requireReachableScopes(sql, criterion, searcher));
  const found = await readCandidates(database, quick, searcher, order.by, isLate);
  const sign = order.descending ? -1 : 1;
  const sorted = found.issues.toSorted(
    (one, other) => sign * (one.key - other.key || one.id - other.id),
  );
  if (slow.length === 0) return { issues: sorted, incomplete: found.incomplete };
  const matcher = createTextMatcher(slow, searcher, fieldsOf(criterion));
  const issues: FoundIssue[] = [];
  const pace = createPace(20, textsMax, monotonic);
  for (let offset = 0; offset < sorted.length;) {
    if (isLate()) return { issues, incomplete: true };
    const part = sorted.slice(offset, offset + pace.size());
    const complete = await pace.run(() => match(database, matcher, searcher, part, isLate));
    const matching = matcher.end();
    if (!complete) return { issues, incomplete: true };
    issues.push(...part.filter(({ id }) => matching.has(id)));
    offset += part.length;
  }
  return { issues, incomplete: found.incomplete };
}

/** All at once where the query names repositories, otherwise in ranges of ids. */
async function readCandidates(
  database: Database,
  criteria: readonly Criterion[],
  searcher: Searcher,
  by: IssueOrder['by'],
  isLate: () => boolean,
): Promise<FoundIssues> {
  const read = (range?: IdRange): Promise<FoundIssue[]> => {
    const bounds = { range, max: candidatesMax + 1 };
    return database.readOne((sql) => listCandidates(sql, criteria, searcher, by, bounds));
  };
  if (criteria.some(namesRepositories)) return limited(await read());
  const last = await database.readOne(lastIssueId);
  const issues: FoundIssue[] = [];
  const pace = createPace(1000, candidatesMax);
  for (let above = 0; above < last;) {
    if (isLate() || issues.length > candidatesMax) return { ...limited(issues), incomplete: true };
    const range = { above, upTo: above + pace.size() };
    issues.push(...(await pace.run(() => read(range))));
    above = range.upTo;
  }
  return limited(issues);
}

function limited(issues: readonly FoundIssue[]): FoundIssues {
  const incomplete = issues.length > candidatesMax;
  return { issues: incomplete ? issues.slice(0, candidatesMax) : issues, incomplete };
}

function namesRepositories(criterion: Criterion): boolean {
  if (criterion.kind === 'any') return criterion.parts.every(namesRepositories);
  return criterion.kind === 'qualifier' && ['repo', 'user', 'org'].includes(criterion.name);
}

/** Gives a part to the matcher; false where the time ended before. */
async function match(
  database: Database,
  matcher: TextMatcher,
  searcher: Searcher,
  part: readonly FoundIssue[],
  isLate: () => boolean,
): Promise<boolean> {
  const ids = part.map(({ id }) => id);
  const texts = await database.readOne((sql) =>
    readTexts(sql, matcher.decidedBySql, searcher, ids),
  );
  for (const issue of texts) {
    if (isLate()) return false;
    matcher.begin(issue);
  }
  for (
    let after: number | undefined = matcher.needsComments ? 0 : undefined;
    after !== undefined;
  ) {
    const from: number = after;
    const comments = await database.readOne((sql) => readCommentTexts(sql, ids, from, textsMax));
    for (const { issueId, body } of comments) {
      if (isLate()) return false;
      matcher.addComment(issueId, body);
    }
    after = comments.length === textsMax ? comments.at(-1)?.id : undefined;
    if (after !== undefined) await setImmediate();
  }
  return true;
}

interface Pace {
  readonly size: () => number;
  readonly run: <T>(work: () => Promise<T>) => Promise<T>;
}

/** How much of a search is done before others are served: less after a part that took long. */
function createPace(first: number, most: number, monotonic = () => performance.now()): Pace {
  let size = first;
  return {
    size: () => size,
    async run(work) {
      const start = monotonic();
      const result = await work();
      const took = monotonic() - start;
      if (took < partMilliseconds / 2) size = Math.min(size * 2, most);
      else if (took > partMilliseconds) size = Math.max(1, Math.floor(size / 2));
      await setImmediate();
      return result;
    },
  };
}
