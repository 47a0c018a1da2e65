import { notSupplied } from '../http/json-body.ts';
import { invalid, notFound, refuse } from '../errors/api-error.ts';
import type { GitRepository, TreeChange, TreeEntry } from '../git/git.ts';
import { type ObjectId, parseTreePath, type TreePath } from '../git/names.ts';

/** What a caller expects of the file it changes: its blob, and whether the file remains. */
export interface Expectation {
  readonly sha: string | undefined;
  readonly content: Buffer | null;
}

/**
 * Refuses a change that does not match the current content of its path. Returns the mode of the existing file, which the
 * change preserves, or undefined if there is none.
 */
export async function checkExpectation(
  git: GitRepository,
  commit: ObjectId | undefined,
  path: TreePath,
  expected: Expectation,
): Promise<TreeChange['mode'] | undefined> {
  const entry = commit && (await git.findPath(commit, path));
  if (!entry) {
    if (expected.content === null) return notFound();
    if (expected.sha !== undefined) refuseMismatch(path, expected.sha);
    if (commit) await refuseFileAbove(git, commit, path);
    return undefined;
  }
  const mode = fileMode(entry) ?? refuseOther(path, entry);
  if (expected.sha === undefined) {
    return invalid({ resource: 'Content', field: 'sha', ...notSupplied('sha') });
  }
  return expected.sha.toLowerCase() === entry.id ? mode : refuseMismatch(path, expected.sha);
}

/** Otherwise git would replace the file by a folder, and the file would be lost. */
export async function refuseFileAbove(
  git: GitRepository,
  commit: ObjectId,
  path: TreePath,
): Promise<void> {
  const segments = path.split('/');
  for (let length = 1; length < segments.length; length += 1) {
    const above = parseTreePath(segments.slice(0, length).join('/'));
    const entry = above && (await git.findPath(commit, above));
    if (!above || !entry) return;
    if (entry.type !== 'tree') {
      unprocessable(`Cannot create ${path}: ${above} is not a directory.`);
    }
  }
}

function fileMode({ mode }: TreeEntry): TreeChange['mode'] | undefined {
  const modes = ['100644', '100755', '120000'] as const;
  // An old tool left 100664 in some histories: a plain file.
  return modes.find((known) => known === mode) ?? (mode === '100664' ? '100644' : undefined);
}

function refuseOther(path: TreePath, { type }: TreeEntry): never {
  const actualType = type === 'tree' ? 'a directory' : 'a submodule';
  return unprocessable(`${path} is ${actualType}: this endpoint changes only files.`);
}

function refuseMismatch(path: TreePath, sha: string): never {
  return refuse({ kind: 'conflict', message: `${path} does not match ${sha}` });
}

function unprocessable(message: string): never {
  return refuse({ kind: 'unprocessable', message });
}
