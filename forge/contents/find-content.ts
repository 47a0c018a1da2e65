import { posix } from 'node:path';

import type { GitRepository, TreeEntry } from '../git/git.ts';
import { type ObjectId, parseTreePath, type TreePath } from '../git/names.ts';
import { licenseFileOf } from '../templates/detect-license.ts';
import { type Content, kindOfMode } from './content.ts';
import { submoduleUrl } from './submodule-url.ts';

/** Entries of a directory; trees list the others (OpenAPI description, get-content). */
const entriesMax = 1000;

/** Symbolic link that is followed; a longer one is some other file with a link's mode. */
const linkBytesMax = 4096;

/** What is at a path of a commit, the root for ''; undefined when there is nothing. */
export async function findContent(
  git: GitRepository,
  commit: ObjectId,
  path: string,
  cloneUrl: string,
): Promise<Content | undefined> {
  if (path === '') return directory(git, commit, '');
  const treePath = parseTreePath(path);
  const entry = treePath && (await git.findPath(commit, treePath));
  if (!entry) return undefined;
  const found = { path, id: entry.id, size: entry.size ?? 0 };
  const kind = kindOfMode(entry.mode);
  switch (kind) {
    case 'directory':
      return directory(git, entry.id, path);
    case 'file':
      return { kind, ...found };
    case 'symlink':
      return followed(git, commit, entry, path);
    case 'submodule':
      return { kind, ...found, gitUrl: await submoduleUrl(git, commit, path, cloneUrl) };
  }
}

async function directory(
  git: GitRepository,
  tree: ObjectId,
  path: string,
): Promise<Content | undefined> {
  const listed = await git.readTree(tree, { entriesMax });
  return (
    listed && {
      kind: 'directory',
      path,
      entries: listed.entries.map((entry) => ({
        kind: kindOfMode(entry.mode),
        path: path === '' ? entry.path : `${path}/${entry.path}`,
        id: entry.id,
        size: entry.size ?? 0,
      })),
    }
  );
}

/** The file that a link names, under the file's own path and id, so that both can be used to change it. */
async function followed(
  git: GitRepository,
  commit: ObjectId,
  link: TreeEntry,
  path: string,
): Promise<Content> {
  const size = link.size ?? 0;
  const bytes = size > linkBytesMax ? undefined : await git.readBlob(link.id);
  const target = bytes?.toString() ?? '';
  const treePath = targetPath(path, target);
  const entry = treePath && (await git.findPath(commit, treePath));
  if (treePath && entry && kindOfMode(entry.mode) === 'file') {
    return { kind: 'file', path: treePath, id: entry.id, size: entry.size ?? 0 };
  }
  return { kind: 'symlink', path, id: link.id, size, target };
}

/** Where a relative link leads, unless that is outside of the repository. */
function targetPath(path: string, target: string): TreePath | undefined {
  if (target === '' || target.startsWith('/')) return undefined;
  return parseTreePath(posix.join(posix.dirname(path), target));
}

/** The file with the licence of a repository, if its root has one. */
export async function findLicenseFile(
  git: GitRepository,
  commit: ObjectId,
): Promise<Extract<Content, { kind: 'file' }> | undefined> {
  const root = await git.readTree(commit, { entriesMax });
  const entry =
    root && licenseFileOf(root.entries.filter(({ mode }) => kindOfMode(mode) === 'file'));
  return entry && { kind: 'file', path: entry.path, id: entry.id, size: entry.size ?? 0 };
}

/** Where a readme may be, in order of precedence. */
const readmeFolders = ['.github', '', 'docs'] as const;

/** The readme of a repository, or of the folders that are named: Markdown before other kinds, and those before a plain one. */
export async function findReadme(
  git: GitRepository,
  commit: ObjectId,
  cloneUrl: string,
  folders: readonly string[] = readmeFolders,
): Promise<Extract<Content, { kind: 'file' }> | undefined> {
  for (const folder of folders) {
    const found = await findContent(git, commit, folder, cloneUrl);
    if (found?.kind !== 'directory') continue;
    const candidates = found.entries
      .filter((entry) => entry.kind !== 'directory' && rankOf(entry.path) < 3)
      .toSorted((one, other) => rankOf(one.path) - rankOf(other.path));
    for (const candidate of candidates) {
      const file = await findContent(git, commit, candidate.path, cloneUrl);
      if (file?.kind === 'file') return file;
    }
  }
  return undefined;
}

/** 3: no readme at all. */
function rankOf(path: TreeEntry['path']): 0 | 1 | 2 | 3 {
  const name = path.slice(path.lastIndexOf('/') + 1).toLowerCase();
  if (/^readme\.(?:md|markdown|mkdn?|mdown)$/.test(name)) return 0;
  if (/^readme\.[^.]+$/.test(name)) return 1;
  return name === 'readme' ? 2 : 3;
}
