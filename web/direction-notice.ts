import { html, type Html } from './html.ts';

/** Embeddings, overrides and isolates (Unicode Standard Annex 9). Marks such as U+200E reorder nothing but themselves. */
const reordering = /[\u202A-\u202E\u2066-\u2069]/;

/** So many lines are named, the first ones. */
const namedAtFirst = 10;

/**
 * A warning above a text that a browser shows in another order than programs read it, so that a reviewer does not approve what only looks
 * right (CVE-2021-42574, "Trojan Source"). Nothing for other texts.
 */
export function directionNotice(
  lines: Iterable<{ readonly number: number; readonly text: string }>,
): Html {
  const found: number[] = [];
  for (const { number, text } of lines) if (reordering.test(text)) found.push(number);
  if (found.length === 0) return html``;
  const named = found.slice(0, namedAtFirst).join(', ');
  const more = found.length > namedAtFirst ? ' and more' : '';
  return html`<p class="problem" role="alert">
    Characters that change the direction of writing are in ${found.length === 1 ? 'line' : 'lines'}
    ${named}${more}: what is shown may read differently from what a program reads.
  </p>`;
}

/** The same for all lines of a text, from 1. */
export function directionNoticeOf(lines: readonly string[]): Html {
  return directionNotice(lines.map((text, index) => ({ number: index + 1, text })));
}
