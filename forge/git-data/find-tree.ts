import type { GitRepository, Tree, TreeOptions } from '../git/git.ts';
import { parseObjectId, parseTreePath } from '../git/names.ts';

/**
 * The tree that a text names: the id of a tree or commit, a branch or tag, and with `:path` after it the tree at that
 * path.
 */
export async function findTree(
  git: GitRepository,
  text: string,
  options: TreeOptions,
): Promise<Tree | undefined> {
  const colon = text.indexOf(':');
  const revision = colon === -1 ? text : text.slice(0, colon);
  const root = parseObjectId(revision) ?? (await git.resolveCommit(revision));
  const folder = colon === -1 ? '' : text.slice(colon + 1).replaceAll(/^\/+|\/+$/g, '');
  if (!root || folder === '') return root && git.readTree(root, options);
  const path = parseTreePath(folder);
  const entry = path && (await git.findPath(root, path));
  return entry?.type === 'tree' ? git.readTree(entry.id, options) : undefined;
}
