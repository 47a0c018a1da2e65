import { filePatchBytesMax, patchBytesMax } from '../../commits/file-json.ts';
import type { DiffOptions, FileChange } from '../../git/git.ts';
import type { ObjectId } from '../../git/names.ts';
import type { Urls } from '../../json/urls.ts';
import { html, type Html } from '#web/html.ts';

export const shownDiff: DiffOptions = {
  filesMax: 300,
  patches: true,
  patchBytesMax: filePatchBytesMax,
  totalBytesMax: patchBytesMax,
};

/** Changed files with their hunks. `changed` is how many there are, when more than are shown. */
export function diffView(
  files: readonly FileChange[],
  location: { fullName: string; sha: ObjectId; urls: Urls; changed?: number },
): Html {
  const hidden = (location.changed ?? files.length) - files.length;
  return html`<section class="diff">
    ${files.map((file) => fileView(file, location))}
    ${hidden > 0 ? html`<p>${hidden} more files are not shown: see the diff as text.</p>` : ''}
  </section>`;
}

function fileView(
  file: FileChange,
  { fullName, sha, urls }: { fullName: string; sha: ObjectId; urls: Urls },
): Html {
  const name =
    file.status === 'removed'
      ? html`<del>${file.path}</del>`
      : html`<a href="${urls.blobHtml(fullName, sha, file.path)}">${file.path}</a>`;
  const from = file.previousPath === undefined ? '' : html`${file.previousPath} → `;
  return html`<article>
    <h3>
      <span class="mark">${file.status}</span> ${from}${name} <ins>+${file.additions}</ins>
      <del>−${file.deletions}</del>
    </h3>
    ${patchView(file)}
  </article>`;
}

function patchView(file: FileChange): Html {
  if (file.patch === undefined) {
    const why = file.binary ? 'Binary content.' : 'No diff to show: no lines changed, or too many.';
    return html`<p>${why}</p>`;
  }
  return html`<pre>${file.patch.split('\n').map(lineView)}</pre>`;
}

/** Each line is a block of its own, so none needs a newline. */
function lineView(line: string): Html {
  if (line.startsWith('@@')) return html`<span class="hunk">${line}</span>`;
  if (line.startsWith('+')) return html`<span class="added">${line}</span>`;
  if (line.startsWith('-')) return html`<span class="removed">${line}</span>`;
  return html`<span>${line === '' ? ' ' : line}</span>`;
}
