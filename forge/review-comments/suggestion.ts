import { createHash } from 'node:crypto';

import { splitFences } from '../http/markup.ts';
import type { DiffPosition, ReviewComment } from '../model/review-comment.ts';

/** A part of a comment: Markdown, or the lines that are to replace those of the comment. */
export type CommentPart =
  | { readonly kind: 'markdown'; readonly text: string }
  /** The suggestions of a comment are numbered from 0. */
  | { readonly kind: 'suggestion'; readonly index: number; readonly lines: readonly string[] };

/** A comment in its parts; `suggestion` blocks inside of quotations and lists are text. */
export function commentParts(body: string): CommentPart[] {
  let index = 0;
  return splitFences(body, 'suggestion').map(({ kind, text }) =>
    kind === 'fence'
      ? { kind: 'suggestion', index: index++, lines: linesOf(text) }
      : { kind: 'markdown', text },
  );
}

/** Whether a suggestion is the one that was shown: its author can edit it at any time. */
export function suggestionDigest(lines: readonly string[]): string {
  return createHash('sha256').update(lines.join('\n')).digest('hex');
}

/** The lines that a suggestion in the comment is to replace; undefined where it can replace none. */
export function commentedLines({ position }: ReviewComment): readonly string[] | undefined {
  const { side, line, start, diffHunk } = position;
  if (side === 'LEFT' || start?.side === 'LEFT') return undefined;
  const count = line - (start?.line ?? line) + 1;
  const present = diffHunk
    .split('\n')
    .slice(1)
    .filter((text) => /^[ +]/.test(text));
  return count > present.length ? undefined : present.slice(-count).map((text) => text.slice(1));
}

/** The first and the last line that the comment is on. */
export function lineRange({
  line,
  start,
}: Pick<DiffPosition, 'line' | 'start'>): readonly [first: number, last: number] {
  return [start?.line ?? line, line];
}

function linesOf(text: string): string[] {
  return text === '' ? [] : text.replace(/\n$/, '').split('\n');
}
