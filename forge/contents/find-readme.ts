import type { GitRepository, TreeEntry } from '../git/git.ts';
import type { ObjectId } from '../git/names.ts';
import type { Content } from './content.ts';
import { findContent } from './find-content.ts';

/** Where a readme is looked for, and in which order. */
const folders = ['.github', '', 'docs'] as const;

/** The readme a repository would like to be read: Markdown before other kinds, and those before a plain one. */
export async function findReadme(
  git: GitRepository,
  commit: ObjectId,
  cloneUrl: string,
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
