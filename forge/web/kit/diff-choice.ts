import { readCookie, writeCookie } from '#web/cookies.ts';

import { type LineRange, mergeRanges, type ShownLines } from './line-ranges.ts';
import type { WebContext } from './web-context.ts';

/** How a page shows diffs. */
export interface DiffChoice {
  readonly layout: 'unified' | 'split';
  readonly ignoreWhitespace: boolean;
  /** Lines around the changes that are shown as well. */
  readonly shown: ShownLines;
  /** Of the page, without a query. */
  readonly pageUrl: string;
  /** Remembers the layout, where the page's URL names one. */
  readonly cookies: readonly string[] | undefined;
}

const year = 365 * 86_400_000;

/** By the query (`?diff=split&w=1`), or else by what was chosen last. */
export function readDiffChoice(
  { query, cookies, baseUrl }: Pick<WebContext, 'query' | 'cookies' | 'baseUrl'>,
  pageUrl: string,
): DiffChoice {
  const named = query.get('diff');
  const chosen = named === 'unified' || named === 'split' ? named : undefined;
  const remembered = readCookie(cookies, 'diff', baseUrl) === 'split' ? 'split' : 'unified';
  return {
    layout: chosen ?? remembered,
    ignoreWhitespace: query.get('w') === '1',
    shown: readShownLines(query.getAll('expand')),
    pageUrl,
    cookies: chosen && [writeCookie('diff', chosen, { baseUrl, milliseconds: year })],
  };
}

/** URL of a page with ranges of lines around the changes of a diff; some proxies cut longer ones. */
const urlCharactersMax = 4000;

/** Ranges of lines around the changes of a diff in the URL of its page: each is found in the patch of its file. */
const rangesMax = 50;

/** The page with another choice, and with more in its query. */
export function diffUrl(
  { pageUrl, ...present }: Omit<DiffChoice, 'cookies'>,
  to: Partial<Pick<DiffChoice, 'layout' | 'ignoreWhitespace' | 'shown'>> = {},
  more: Readonly<Record<string, string>> = {},
): string {
  const { layout, ignoreWhitespace, shown } = { ...present, ...to };
  const query = new URLSearchParams({
    ...more,
    // Without a query, a page has the layout that was chosen last.
    ...((layout === 'split' || to.layout) && { diff: layout }),
    ...(ignoreWhitespace && { w: '1' }),
  });
  for (const [path, ranges] of shown) query.append('expand', writeRanges(path, ranges));
  const text = query.toString();
  return text === '' ? pageUrl : `${pageUrl}?${text}`;
}

/** Such a URL for each line of a page. */
const lineCharactersMax = 300;

/** The page with the form for a comment on a line. */
export function lineUrl(choice: DiffChoice, query: Readonly<Record<string, string>>): string {
  const pageUrl = diffUrl(choice, {}, query);
  const isShort = pageUrl.length <= lineCharactersMax;
  return isShort ? pageUrl : diffUrl(choice, { shown: new Map() }, query);
}

/** The page with these lines as well; undefined where its URL would be too long. */
export function urlWithLines(
  choice: DiffChoice,
  path: string,
  range: LineRange,
): string | undefined {
  const shown = new Map(choice.shown);
  shown.set(path, mergeRanges([...(shown.get(path) ?? []), range]));
  const count = [...shown.values()].reduce((sum, ranges) => sum + ranges.length, 0);
  const pageUrl = diffUrl(choice, { shown });
  return count > rangesMax || pageUrl.length > urlCharactersMax ? undefined : pageUrl;
}

/** `src/a.ts:5-24,40-59` */
function writeRanges(path: string, ranges: readonly LineRange[]): string {
  return `${path}:${ranges.map(({ from, to }) => `${from}-${to}`).join(',')}`;
}

/** Ignores what no link of a page has. */
function readShownLines(texts: readonly string[]): ShownLines {
  const shown = new Map<string, readonly LineRange[]>();
  let left = rangesMax;
  for (const text of texts.slice(0, rangesMax)) {
    const [, path, ranges = ''] = /^(.+):(\d{1,7}-\d{1,7}(?:,\d{1,7}-\d{1,7})*)$/s.exec(text) ?? [];
    if (path === undefined) continue;
    const read = ranges
      .split(',', left)
      .map((range) => range.split('-').map(Number))
      .flatMap(([from = 0, to = 0]) => (from >= 1 && to >= from ? [{ from, to }] : []));
    left -= read.length;
    if (read.length > 0) shown.set(path, mergeRanges([...(shown.get(path) ?? []), ...read]));
  }
  return shown;
}
