import { readCookie, writeCookie } from '#web/cookies.ts';

import type { WebContext } from './web-context.ts';

/** How a page shows diffs. */
export interface DiffChoice {
  readonly layout: 'unified' | 'split';
  readonly ignoreWhitespace: boolean;
  /** Of the page, without a query. */
  readonly address: string;
  /** Remembers the layout, where the page's address names one. */
  readonly cookies: readonly string[] | undefined;
}

const year = 365 * 86_400_000;

/** By the query (`?diff=split&w=1`), or else by what was chosen last. */
export function readDiffChoice(
  { query, cookies, baseUrl }: Pick<WebContext, 'query' | 'cookies' | 'baseUrl'>,
  address: string,
): DiffChoice {
  const named = query.get('diff');
  const chosen = named === 'unified' || named === 'split' ? named : undefined;
  const remembered = readCookie(cookies, 'diff', baseUrl) === 'split' ? 'split' : 'unified';
  return {
    layout: chosen ?? remembered,
    ignoreWhitespace: query.get('w') === '1',
    address,
    cookies: chosen && [writeCookie('diff', chosen, { baseUrl, milliseconds: year })],
  };
}
