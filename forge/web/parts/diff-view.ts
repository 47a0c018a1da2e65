import { filePatchBytesMax, patchBytesMax } from '../../commits/file-json.ts';
import type { DiffOptions, FileChange } from '../../git/file-change.ts';
import type { ObjectId } from '../../git/names.ts';
import type { Urls } from '../../json/urls.ts';
import type { Side } from '../../model/diff-lines.ts';
import { counted, html, type Html } from '#web/html.ts';

export const filesMax = 300;

export const shownDiff: DiffOptions = {
  filesMax,
  patches: true,
  patchBytesMax: filePatchBytesMax,
  totalBytesMax: patchBytesMax,
};

/** A line of a diff as comments name it. */
export interface DiffPlace {
  readonly path: string;
  readonly side: Side;
  readonly line: number;
}

/** What a page adds to the lines of a diff. */
export interface LineExtras {
  /** Below the line: threads, and the form for a comment. */
  readonly below: (place: DiffPlace) => Html | undefined;
  /** Where the number of a line leads; undefined: nowhere. */
  readonly href: ((place: DiffPlace) => string) | undefined;
}

interface DiffLocation {
  readonly fullName: string;
  readonly sha: ObjectId;
  readonly urls: Urls;
  /** How many files there are, when more than are shown. */
  readonly changed?: number;
  readonly extras?: LineExtras;
}

/** Changed files with their hunks, and their list beside them. */
export function diffView(files: readonly FileChange[], location: DiffLocation): Html {
  if (files.length === 0) return html`<p class="empty">No file differs.</p>`;
  const hidden = (location.changed ?? files.length) - files.length;
  return html`<div class="files">
    <nav aria-label="Changed files">
      <ul class="plain">
        ${files.map(
          (file, index) =>
            html`<li>
              <a href="#file-${index + 1}">${file.path}</a> <ins>+${file.additions}</ins>
              <del>−${file.deletions}</del>
            </li>`,
        )}
      </ul>
    </nav>
    <section class="diff" aria-label="Changes">
      ${files.map((file, index) => fileView(file, index + 1, location))}
      ${
        hidden > 0
          ? html`<p>${counted(hidden, 'more file')} not shown: see the diff as text.</p>`
          : ''
      }
    </section>
  </div>`;
}

function fileView(file: FileChange, number: number, location: DiffLocation): Html {
  const { fullName, sha, urls } = location;
  const name =
    file.status === 'removed'
      ? html`<del>${file.path}</del>`
      : html`<a href="${urls.blobHtml(fullName, sha, file.path)}">${file.path}</a>`;
  const from = file.previousPath === undefined ? '' : html`${file.previousPath} → `;
  return html`<article class="card" id="file-${number}">
    <header>
      <h3>${from}${name}</h3>
      <span class="mark">${file.status}</span>
      <ins>+${file.additions}</ins> <del>−${file.deletions}</del>
    </header>
    ${patchView(file, number, location)}
  </article>`;
}

function patchView(file: FileChange, number: number, location: DiffLocation): Html {
  if (file.patch === undefined) {
    const why = file.binary ? 'Binary content.' : 'No diff to show: no lines changed, or too many.';
    return html`<p class="body">${why}</p>`;
  }
  return html`<section class="lines" tabindex="0" aria-label="Changes of ${file.path}">
    <table>
      <tbody>
        ${rowsOf(file, file.patch, number, location.extras)}
      </tbody>
    </table>
  </section>`;
}

const hunkStart = /^@@ -(\d+)(?:,\d+)? \+(\d+)(?:,\d+)? @@/;

function rowsOf(
  { path }: FileChange,
  patch: string,
  number: number,
  extras: LineExtras | undefined,
): Html[] {
  let [left, right] = [0, 0];
  return patch.split('\n').map((text) => {
    const start = hunkStart.exec(text);
    if (start) {
      [left, right] = [Number(start[1]), Number(start[2])];
      return html`<tr class="hunk">
        <td colspan="3" class="text">${text}</td>
      </tr>`;
    }
    const sign = text.charAt(0);
    const before = sign === '-' || sign === ' ' ? left++ : undefined;
    const after = sign === '+' || sign === ' ' ? right++ : undefined;
    const cell = (side: Side, line: number | undefined): Html => {
      if (line === undefined) return html`<td class="number"></td>`;
      const id = `f${number}${side === 'LEFT' ? 'L' : 'R'}${line}`;
      const href = extras?.href?.({ path, side, line });
      return href === undefined
        ? html`<td class="number" id="${id}">${line}</td>`
        : html`<td class="number" id="${id}"><a href="${href}">${line}</a></td>`;
    };
    const kind = sign === '+' ? 'added' : sign === '-' ? 'removed' : 'same';
    const below = [
      before === undefined ? undefined : extras?.below({ path, side: 'LEFT', line: before }),
      after === undefined ? undefined : extras?.below({ path, side: 'RIGHT', line: after }),
    ].filter((each) => each !== undefined);
    return html`<tr class="${kind}">
        ${cell('LEFT', before)}${cell('RIGHT', after)}
        <td class="text">${text}</td>
      </tr>
      ${
        below.length === 0
          ? ''
          : html`<tr>
              <td colspan="3" class="thread">${below}</td>
            </tr>`
      }`;
  });
}
