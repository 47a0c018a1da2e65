import type { ContentEntry } from '../../contents/content.ts';
import type { Urls } from '../../json/urls.ts';
import { html, type Html } from '../kit/html.ts';

/** The files and folders of a folder, folders first. */
export function entryList(
  entries: readonly ContentEntry[],
  location: { fullName: string; revision: string; urls: Urls },
): Html {
  const folders = entries.filter((entry) => entry.kind === 'directory');
  const others = entries.filter((entry) => entry.kind !== 'directory');
  return html`<ul class="rows">
    ${[...folders, ...others].map((entry) => entryRow(entry, location))}
  </ul>`;
}

function entryRow(
  entry: ContentEntry,
  { fullName, revision, urls }: { fullName: string; revision: string; urls: Urls },
): Html {
  const name = entry.path.slice(entry.path.lastIndexOf('/') + 1);
  switch (entry.kind) {
    case 'directory':
      return html`<li>
        <a class="grow" href="${urls.treeHtml(fullName, revision, entry.path)}">${name}/</a>
      </li>`;
    case 'submodule':
      return html`<li>
        <span class="grow">${name}</span> submodule <code>${entry.id.slice(0, 7)}</code>
      </li>`;
    case 'file':
    case 'symlink':
      return html`<li>
        <a class="grow" href="${urls.blobHtml(fullName, revision, entry.path)}">${name}</a>
        ${entry.kind === 'symlink' ? 'link' : html`${entry.size} bytes`}
      </li>`;
  }
}
