import { invalid, refuse } from '../errors/api-error.ts';
import type { Page } from '../http/pagination.ts';
import { page as pageResult, type EndpointResult } from '../http/endpoint-result.ts';
import type { Json } from '../json/json-values.ts';
import { resultsMax } from './search-order.ts';
import { type Criterion, parseSearchQuery, SearchQueryError, textsOf } from './search-query.ts';

/** The query of a request; without one it is refused. */
export function queryText(query: URLSearchParams): string {
  const text = query.get('q')?.trim() ?? '';
  if (text === '') return invalid({ resource: 'Search', field: 'q', code: 'missing' });
  return text;
}

/** `sort` and `order` of a request. */
export function orderOf(query: URLSearchParams): { sort: string | null; order: string | null } {
  return { sort: query.get('sort'), order: query.get('order') };
}

export interface ParsedSearch {
  readonly criterion: Criterion;
  readonly sort: string | undefined;
  readonly words: readonly string[];
}

export function parseSearch(text: string, known: ReadonlySet<string>): ParsedSearch {
  const { criterion, sort } = parseSearchQuery(text, known);
  return { criterion, sort, words: textsOf(criterion) };
}

/** Turns a query that is not one into a refusal. */
export async function answerSearch(search: () => Promise<EndpointResult>): Promise<EndpointResult> {
  try {
    return await search();
  } catch (error) {
    if (error instanceof SearchQueryError) return invalid(error.error);
    throw error;
  }
}

/** What of the results is on a page; refuses pages beyond those that a search gives. */
export function boundsOf({ offset, size }: Page): { offset: number; size: number } {
  if (offset >= resultsMax) {
    const message = 'Only the first 1000 search results are available';
    return refuse({ kind: 'unprocessable', message });
  }
  return { offset, size: Math.min(size, resultsMax - offset) };
}

export function searchReply(
  items: readonly Json[],
  { total, incomplete = false }: { readonly total: number; readonly incomplete?: boolean },
  more: Readonly<Record<string, string>> = {},
): EndpointResult {
  const body = { total_count: total, incomplete_results: incomplete, items: [...items], ...more };
  return pageResult(body, Math.min(total, resultsMax));
}
