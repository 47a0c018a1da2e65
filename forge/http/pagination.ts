import type { Paging } from './endpoint-result.ts';

/** Page size and number of a list (docs/specification/forge.md 5.1). */
export interface Page {
  readonly number: number;
  readonly size: number;
  /** Items before this page. */
  readonly offset: number;
}

/** Items of a page, unless the request says otherwise (spec). */
export const pageSizeDefault = 30;
/** Items of a page; a request for more gets so many (spec). */
export const pageSizeMax = 100;
/** Number of a page: larger ones could overflow the database's integers; no list is that long. */
const pageNumberMax = 1_000_000_000;

/** Anything but a positive number means the default, as on GitHub. */
export function readPage(
  query: URLSearchParams,
  sizeDefault: number = pageSizeDefault,
  sizeFixed = false,
): Page {
  const number = Math.min(leadingInteger(query.get('page')) ?? 1, pageNumberMax);
  const requested = sizeFixed ? undefined : leadingInteger(query.get('per_page'));
  const size = Math.min(requested ?? sizeDefault, pageSizeMax);
  return { number, size, offset: (number - 1) * size };
}

/**
 * The `Link` header of a page, or undefined if there is only one. The order of relations is prev, next, last, first;
 * `url` is the canonical URL of the list without its query, to which the client's parameters are added unchanged.
 */
export function linkHeader(
  url: string,
  query: URLSearchParams,
  page: Page,
  paging: Paging,
): string | undefined {
  if (typeof paging.total === 'object' && 'nextSince' in paging.total) {
    return sinceLinks(url, query, paging.total.nextSince);
  }
  const links: [relation: string, number: number][] = [];
  if (typeof paging.total === 'number') {
    const last = Math.max(1, Math.ceil(paging.total / page.size));
    if (page.number > 1) links.push(['prev', Math.min(page.number - 1, last)]);
    if (page.number < last) links.push(['next', page.number + 1], ['last', last]);
  } else {
    if (page.number > 1) links.push(['prev', page.number - 1]);
    if (paging.total.hasNext) links.push(['next', page.number + 1]);
  }
  if (page.number > 1) links.push(['first', 1]);
  if (links.length === 0) return undefined;
  return links
    .map(([relation, number]) => `<${url}?${withPage(query, number)}>; rel="${relation}"`)
    .join(', ');
}

/** As on GitHub, the link to the first page of such a list is a URI template. */
function sinceLinks(
  url: string,
  query: URLSearchParams,
  next: number | undefined,
): string | undefined {
  if (next === undefined) return undefined;
  const copy = new URLSearchParams(query);
  copy.set('since', String(next));
  return `<${url}?${copy.toString()}>; rel="next", <${url}{?since}>; rel="first"`;
}

/** A number above zero of a query, by its leading digits: some clients append a second query string to it. */
export function leadingInteger(text: string | null): number | undefined {
  const digits = /^\d{1,15}/.exec(text ?? '')?.[0];
  const value = digits === undefined ? 0 : Number(digits);
  return value > 0 ? value : undefined;
}

function withPage(query: URLSearchParams, number: number): string {
  const copy = new URLSearchParams(query);
  copy.set('page', String(number));
  return copy.toString();
}
