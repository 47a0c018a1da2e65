import { filePatchBytesMax, patchBytesMax } from '../../commits/file-json.ts';
import type { DiffOptions, FileChange } from '../../git/file-change.ts';
import type { ObjectId } from '../../git/names.ts';
import type { Urls } from '../../json/urls.ts';
import type { Side } from '../../model/diff-lines.ts';
import { directionNotice } from '#web/direction-notice.ts';
import { counted, html, type Html } from '#web/html.ts';
import type { PageForm } from '#web/page-form.ts';
import { urlWithLines, type DiffChoice } from '../kit/diff-choice.ts';
import type { LineRange } from '../kit/line-ranges.ts';
import {
  type Colouring,
  type DiffColours,
  type DiffSource,
  filesInColours,
  markedCode,
  rightLine,
  type ShownFile,
} from './diff-colours.ts';
import type { ContextBudget } from './diff-context.ts';
import { type DiffRow, type Segment, sideBySide } from './diff-rows.ts';
import { expandLinks } from './expand-links.ts';
import { diffToolbar } from './diff-toolbar.ts';
import { fileTree } from './file-tree.ts';
import { viewedButton } from './viewed-button.ts';

/** Files of a diff on a page. */
export const shownFilesMax = 300;

/** What is read of a diff to show it. */
export function shownDiff({ ignoreWhitespace }: Pick<DiffChoice, 'ignoreWhitespace'>): DiffOptions {
  return {
    filesMax: shownFilesMax,
    patches: true,
    patchBytesMax: filePatchBytesMax,
    totalBytesMax: patchBytesMax,
    ignoreWhitespace,
  };
}

/** A line of a diff as comments name it. */
export interface CommentedLine {
  readonly path: string;
  readonly side: Side;
  readonly line: number;
}

/** What a page adds to the lines of a diff. */
export interface LineExtras {
  /** Below the line: threads, and the form for a comment. */
  readonly below: (line: CommentedLine) => Html | undefined;
  /** Where the number of a line leads; undefined: nowhere. */
  readonly href: ((line: CommentedLine) => string) | undefined;
}

/** The files that a reviewer has viewed, and the form for that. */
export interface ViewedFiles {
  readonly paths: ReadonlySet<string>;
  readonly form: PageForm;
}

interface DiffLocation {
  readonly fullName: string;
  readonly sha: ObjectId;
  readonly urls: Urls;
  /** Where the files are. */
  readonly git: DiffSource['git'];
  readonly colouring: Colouring;
  readonly choice: DiffChoice;
  /** How many files there are, when more than are shown. */
  readonly changed?: number;
  readonly extras?: LineExtras;
  readonly viewed?: ViewedFiles | undefined;
}

/** Changed files with their hunks, with a tree of them. */
export async function diffView(
  files: readonly FileChange[],
  location: DiffLocation,
): Promise<Html> {
  const { choice, viewed } = location;
  if (files.length === 0) {
    return html`${diffToolbar(choice)}
      <p class="empty">
        No file differs${choice.ignoreWhitespace ? ' in more than spaces' : ''}.
      </p>`;
  }
  const source = { git: location.git, shown: choice.shown };
  const { files: shown, budget } = await filesInColours(files, location.colouring, source);
  const hidden = choice.ignoreWhitespace ? 0 : (location.changed ?? files.length) - files.length;
  return html`${diffToolbar(choice)} ${viewed?.form.view('viewed', html``, 'line')}
    <div class="files">
      <nav aria-label="Changed files">${fileTree(files, viewed?.paths ?? new Set())}</nav>
      <section class="diff" aria-label="Changes">
        ${shown.map((file, index) => fileView(file, index + 1, { ...location, budget }))}
        ${
          hidden > 0
            ? html`<p>${counted(hidden, 'more file')} not shown: see the diff as text.</p>`
            : ''
        }
      </section>
    </div>`;
}

interface ShownLocation extends DiffLocation {
  readonly budget: ContextBudget;
}

function fileView(shown: ShownFile, number: number, location: ShownLocation): Html {
  const { file } = shown;
  const { fullName, sha, urls, viewed } = location;
  const name =
    file.status === 'removed'
      ? html`<del>${file.path}</del>`
      : html`<a href="${urls.blobHtml(fullName, sha, file.path)}">${file.path}</a>`;
  const from = file.previousPath === undefined ? '' : html`${file.previousPath} → `;
  const isViewed = viewed?.paths.has(file.path) === true;
  const patch = patchView(shown, number, location);
  return html`<article class="card" id="file-${number}">
    <header>
      <h3>${from}${name}</h3>
      <span class="mark">${file.status}</span>
      <ins>+${file.additions}</ins> <del>−${file.deletions}</del>
      ${viewed ? viewedButton(file, isViewed) : ''}
    </header>
    ${
      isViewed
        ? html`<details>
            <summary>✓ Viewed: show the changes</summary>
            ${patch}
          </details>`
        : patch
    }
  </article>`;
}

function patchView(
  { file, rows, colours }: ShownFile,
  number: number,
  location: ShownLocation,
): Html {
  if (!rows) {
    const why = file.binary ? 'Binary content.' : 'No diff to show: no lines changed, or too many.';
    return html`<p class="body">${why}</p>`;
  }
  const cells = cellsOf(file, number, location, colours);
  const split = location.choice.layout === 'split';
  return html`${directionNotice(rows.flatMap(rightLine))}<section class="lines" tabindex="0" aria-label="Changes of ${file.path}">
    <table${split ? html` class="split"` : ''}>
      ${split ? splitColumns : ''}
      <tbody>
        ${split ? splitRows(rows, cells) : rows.map((row) => unifiedRow(row, cells))}
      </tbody>
    </table>
  </section>`;
}

/** The first row may have one cell only: it does not say how wide the columns are. */
const splitColumns = html`<colgroup>
  <col class="number" />
  <col />
  <col class="number" />
  <col />
</colgroup>`;

/** What the rows of one file have in common in both layouts. */
interface Cells {
  readonly number: (side: Side, line: number | undefined, outside?: true) => Html;
  readonly same: (row: DiffRow & { kind: 'same' }) => Html;
  readonly removed: (row: DiffRow & { kind: 'removed' }) => Html;
  readonly added: (row: DiffRow & { kind: 'added' }) => Html;
  /** The header of a hunk, and links to the lines before it. */
  readonly hunk: (row: DiffRow & { kind: 'hunk' }) => Html;
  /** The row with what is below these lines, if anything is. */
  readonly below: (lines: { readonly left?: number; readonly right?: number }) => Html;
}

function cellsOf(
  { path }: FileChange,
  file: number,
  { extras, choice, budget, fullName, sha, urls }: ShownLocation,
  { left, right }: DiffColours,
): Cells {
  return {
    hunk({ text, hidden }) {
      if (hidden === undefined) return text === '' ? html`` : wholeRow(text);
      const links = expandLinks(hidden, text === '' ? 'end of the file' : 'before a hunk', {
        path,
        budget,
        pageUrl: (range: LineRange) => urlWithLines(choice, path, range),
        target: (line) => `f${file}R${line}`,
        file: urls.blobHtml(fullName, sha, path),
      });
      return wholeRow(html`${links} ${text}`);
    },
    same: (row) =>
      textCell(' ', [{ text: row.text, changed: false }], { markup: right.get(row.right) }),
    removed: (row) => textCell('-', row.parts, { markup: left.get(row.left), kind: 'removed' }),
    added: (row) => textCell('+', row.parts, { markup: right.get(row.right), kind: 'added' }),
    number(side, line, outside) {
      if (line === undefined) return html`<td class="number"></td>`;
      const id = `f${file}${side === 'LEFT' ? 'L' : 'R'}${line}`;
      // The API takes comments on the lines of the patch only.
      const href = outside ? undefined : extras?.href?.({ path, side, line });
      return href === undefined
        ? html`<td class="number" id="${id}">${line}</td>`
        : html`<td class="number" id="${id}"><a href="${href}">${line}</a></td>`;
    },
    below(lines) {
      const found = [
        lines.left === undefined
          ? undefined
          : extras?.below({ path, side: 'LEFT', line: lines.left }),
        lines.right === undefined
          ? undefined
          : extras?.below({ path, side: 'RIGHT', line: lines.right }),
      ].filter((each) => each !== undefined);
      if (found.length === 0) return html``;
      return html`<tr>
        <td colspan="4" class="thread">${found}</td>
      </tr>`;
    },
  };
}

function unifiedRow(row: DiffRow, { hunk, number, below, same, removed, added }: Cells): Html {
  switch (row.kind) {
    case 'hunk':
      return hunk(row);
    case 'note':
      return wholeRow(row.text);
    case 'same':
      return html`<tr class="same">
          ${number('LEFT', row.left, row.outside)}${number('RIGHT', row.right, row.outside)}${same(row)}
        </tr>
        ${below(row)}`;
    case 'removed':
      return html`<tr class="removed">
          ${number('LEFT', row.left)}${number('RIGHT', undefined)}${removed(row)}
        </tr>
        ${below(row)}`;
    case 'added':
      return html`<tr class="added">
          ${number('LEFT', undefined)}${number('RIGHT', row.right)}${added(row)}
        </tr>
        ${below(row)}`;
  }
}

function splitRows(
  rows: readonly DiffRow[],
  { hunk, number, below, same, removed, added }: Cells,
): Html[] {
  return sideBySide(rows).map((row) => {
    switch (row.kind) {
      case 'hunk':
        return hunk(row);
      case 'note':
        return wholeRow(row.text);
      case 'same':
        return html`<tr class="same">
            ${number('LEFT', row.left, row.outside)}${same(row)}
            ${number('RIGHT', row.right, row.outside)}${same(row)}
          </tr>
          ${below(row)}`;
      case 'pair': {
        const { left, right } = row;
        return html`<tr>
            ${number('LEFT', left?.left)} ${left ? removed(left) : html`<td class="text"></td>`}
            ${number('RIGHT', right?.right)} ${right ? added(right) : html`<td class="text"></td>`}
          </tr>
          ${below({ ...(left && { left: left.left }), ...(right && { right: right.right }) })}`;
      }
    }
  });
}

function wholeRow(text: Html | string): Html {
  return html`<tr class="hunk">
    <td colspan="4" class="text">${text}</td>
  </tr>`;
}

function textCell(
  sign: string,
  parts: readonly Segment[],
  { markup, kind = '' }: { readonly markup: string | undefined; readonly kind?: string },
): Html {
  const text =
    markup === undefined
      ? parts.map((part) => (part.changed ? html`<mark>${part.text}</mark>` : part.text))
      : markedCode(markup, parts);
  return html`<td class="text ${kind}">${sign}${text}</td>`;
}
