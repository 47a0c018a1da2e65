import { setImmediate } from 'node:timers/promises';

import type { Database } from '#platform/database/database.ts';

import { issueQualifiers, readsTexts } from './issue-qualifiers-store.ts';
import {
  type FoundIssue,
  type IssueOrder,
  listCandidates,
  matchTexts,
} from './issue-search-store.ts';
import { requireReachableScopes } from './search-conditions-store.ts';
import { type Criterion, parseSearchQuery } from './search-query.ts';
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

const candidatesMax = 100_000;

/** Issues whose texts one statement reads: bodies have up to 64 KiB each, and SQLite reads in the thread of the server. */
const slice = 250;

/** For the texts of one search. */
const milliseconds = 2000;

export function parseIssueSearch(
  text: string,
  query: { readonly sort: string | null; readonly order: string | null },
): IssueSearch {
  const { criterion, sort } = parseSearchQuery(text, issueQualifiers);
  const sorts = ['created', 'updated', 'comments', 'interactions'] as const;
  const { by = 'created', descending } = readSearchOrder(sorts, sort, query);
  return { criterion, order: { by: by === 'interactions' ? 'comments' : by, descending } };
}

/**
 * Finds the issues and pulls that the searcher may read and that meet the criterion: first by what indexes answer, then by
 * texts, a slice at a time, so that others are served in between, and for a limited time.
 */
export async function findIssues(
  database: Database,
  { criterion, order }: IssueSearch,
  searcher: Searcher,
  monotonic: () => number = () => performance.now(),
): Promise<FoundIssues> {
  const end = monotonic() + milliseconds;
  const candidates = await database.read(async (sql) => {
    await requireReachableScopes(sql, criterion, searcher);
    return listCandidates(sql, criterion, searcher, order, candidatesMax + 1);
  });
  const overflow = candidates.length > candidatesMax;
  if (overflow) candidates.pop();
  if (!readsTexts(criterion)) return { issues: candidates, incomplete: overflow };
  const issues: FoundIssue[] = [];
  for (let offset = 0; offset < candidates.length; offset += slice) {
    if (monotonic() > end) return { issues, incomplete: true };
    const part = candidates.slice(offset, offset + slice);
    const ids = part.map(({ id }) => id);
    // Reads of SQLite come from the thread that serves everybody.
    await setImmediate();
    const matching = await database.readOne((sql) => matchTexts(sql, criterion, searcher, ids));
    issues.push(...part.filter(({ id }) => matching.has(id)));
  }
  return { issues, incomplete: overflow };
}
