import { html, type Html } from '#web/html.ts';

import type { FileChange } from '../../git/file-change.ts';

interface Folder {
  readonly folders: Map<string, Folder>;
  readonly files: { readonly name: string; readonly file: FileChange; readonly number: number }[];
}

/** Changed files by their folders, each with a link to its changes. */
export function fileTree(files: readonly FileChange[], viewed: ReadonlySet<string>): Html {
  const root: Folder = { folders: new Map(), files: [] };
  for (const [index, file] of files.entries()) {
    const parts = file.path.split('/');
    const name = parts.pop() ?? '';
    folderAt(root, parts).files.push({ name, file, number: index + 1 });
  }
  return folderView(root, viewed);
}

function folderAt(root: Folder, parts: readonly string[]): Folder {
  let at = root;
  for (const part of parts) {
    const next: Folder = at.folders.get(part) ?? { folders: new Map(), files: [] };
    at.folders.set(part, next);
    at = next;
  }
  return at;
}

function folderView({ folders, files }: Folder, viewed: ReadonlySet<string>): Html {
  return html`<ul class="plain">
    ${[...folders].map(([name, folder]) => {
      const [path, end] = onlyChild(name, folder);
      return html`<li>
        <details open>
          <summary>${path}/</summary>
          ${folderView(end, viewed)}
        </details>
      </li>`;
    })}
    ${files.map(
      ({ name, file, number }) =>
        html`<li class="file">
          <a href="#file-${number}">${name}</a>
          ${viewed.has(file.path) ? html`<span title="Viewed">✓</span>` : ''}
          <ins>+${file.additions}</ins> <del>−${file.deletions}</del>
        </li>`,
    )}
  </ul>`;
}

/** Folders with nothing but one folder are one entry. */
function onlyChild(name: string, folder: Folder): readonly [string, Folder] {
  const [only, ...others] = folder.folders;
  return only && others.length === 0 && folder.files.length === 0
    ? onlyChild(`${name}/${only[0]}`, only[1])
    : [name, folder];
}
