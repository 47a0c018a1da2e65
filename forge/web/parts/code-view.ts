import { html, type Html } from '#web/html.ts';
import { codeLines, linesOf } from '#web/code-lines.ts';
import { directionNoticeOf } from '#web/direction-notice.ts';

import type { ObjectId } from '../../git/names.ts';
import type { RepositoryContext } from '../kit/web-context.ts';
import { codeLanguage } from './code-language.ts';

/** The lines of a file as the highlighter marks them; undefined: without colours. */
export async function highlightedLines(
  { highlighter, requester }: Pick<RepositoryContext, 'highlighter' | 'requester'>,
  file: { readonly id: ObjectId; readonly path: string; readonly text: string },
): Promise<readonly string[] | undefined> {
  const language = codeLanguage(file.path);
  if (language === undefined) return undefined;
  return highlighter.lines(file.id, file.text, language, requester.key);
}

/** A file with numbers, colours, and the lines that the query of the page chooses. */
export async function codeView(
  context: RepositoryContext,
  file: { readonly id: ObjectId; readonly path: string; readonly text: string },
): Promise<Html> {
  const lines = linesOf(file.text);
  const code = codeLines(lines, {
    highlighted: await highlightedLines(context, file),
    chosen: readLines(context.query.get('lines')),
  });
  return html`${directionNoticeOf(lines)} ${code}`;
}

/** `3` or `3-9`. */
function readLines(text: string | null): { from: number; to: number } | undefined {
  const [, from, to] = /^([1-9]\d{0,6})(?:-([1-9]\d{0,6}))?$/.exec(text ?? '') ?? [];
  if (from === undefined) return undefined;
  return { from: Number(from), to: Number(to ?? from) };
}
