import { counted, html, type Html } from '#web/html.ts';

import type { LineRange } from '../kit/line-ranges.ts';
import type { ContextBudget } from './diff-context.ts';
import type { HiddenLines } from './diff-rows.ts';

/** Lines that one link shows around the changes of a diff. */
const stepSize = 20;

interface ExpandedFile {
  readonly path: string;
  readonly budget: ContextBudget;
  /** The page with more lines; undefined: its URL would be too long. */
  readonly pageUrl: (range: LineRange) => string | undefined;
  /** The id of a line. */
  readonly target: (line: number) => string;
  /** The page of the whole file. */
  readonly file: string;
}

/** Links to the same page with lines that it leaves out: those after the lines above, those before the lines below, and all. */
export function expandLinks(
  hidden: HiddenLines,
  at: 'before a hunk' | 'end of the file',
  file: ExpandedFile,
): Html {
  const links = rangesOf(hidden, at).flatMap(({ arrow, name, ...range }) => {
    const lines = range.to - range.from + 1;
    const pageUrl = lines > file.budget.lines ? undefined : file.pageUrl(range);
    file.budget.urlCharacters -= pageUrl?.length ?? 0;
    if (pageUrl === undefined || file.budget.urlCharacters < 0) return [];
    const label = `${arrow} ${name === 'all' ? 'all ' : ''}${counted(lines, 'line')}`;
    const which = `${label} of ${file.path}, ${range.from} to ${range.to}`;
    return html`<a
      href="${pageUrl}#${file.target(range.from)}"
      data-expand
      aria-label="${which}"
      title="Show lines ${range.from} to ${range.to}"
      >${label}</a
    > `;
  });
  if (links.length > 0) return html`<span class="expand">${links}</span>`;
  return html`<span class="expand"><a href="${file.file}">See the whole file</a></span>`;
}

interface NamedRange extends LineRange {
  readonly arrow: string;
  readonly name: 'some' | 'all';
}

function rangesOf(
  { from, to }: HiddenLines,
  at: 'before a hunk' | 'end of the file',
): readonly NamedRange[] {
  const after: NamedRange = { arrow: '↓', name: 'some', from, to: from + stepSize - 1 };
  if (to === undefined) return [after];
  if (to - from < stepSize) return [{ arrow: '↕', name: 'some', from, to }];
  const before: NamedRange = { arrow: '↑', name: 'some', from: to - stepSize + 1, to };
  return [
    ...(from === 1 ? [] : [after]),
    ...(at === 'before a hunk' ? [before] : []),
    { arrow: '↕', name: 'all', from, to },
  ];
}
