import type { GitRepository } from '../git/git.ts';
import { type ObjectId, parseTreePath } from '../git/names.ts';

/** `.gitmodules` that is read. */
const fileBytesMax = 1024 * 1024;

/** Where a submodule comes from, by the `.gitmodules` of the same commit; null when that does not say. */
export async function submoduleUrl(
  git: GitRepository,
  commit: ObjectId,
  path: string,
  cloneUrl: string,
): Promise<string | null> {
  const treePath = parseTreePath('.gitmodules');
  const file = treePath && (await git.findPath(commit, treePath));
  if (file?.size === undefined || file.size > fileBytesMax) return null;
  const text = (await git.readBlob(file.id))?.toString() ?? '';
  const url = readSubmodules(text).find((submodule) => submodule.path === path)?.url;
  if (url === undefined) return null;
  // `../other.git` is a neighbour of wherever the repository was cloned from.
  return /^\.\.?\//.test(url) ? new URL(url, `${cloneUrl}/`).href : url;
}

interface Submodule {
  readonly path: string | undefined;
  readonly url: string | undefined;
}

/** The sections of a git configuration file, as far as `path` and `url` go. */
export function readSubmodules(text: string): Submodule[] {
  return text
    .split(/^\s*\[/m)
    .slice(1)
    .map((section) => ({ path: valueOf(section, 'path'), url: valueOf(section, 'url') }));
}

function valueOf(section: string, name: string): string | undefined {
  for (const line of section.split('\n').slice(1)) {
    const at = line.indexOf('=');
    if (at === -1 || line.slice(0, at).trim().toLowerCase() !== name) continue;
    return line
      .slice(at + 1)
      .trim()
      .replace(/^"([^"]*)"$/, '$1');
  }
  return undefined;
}
