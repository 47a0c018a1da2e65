import { refuse } from '../errors/api-error.ts';
import type { GitRepository, TreeChange } from '../git/git.ts';
import type { ObjectId } from '../git/names.ts';
import { typeOfMode, type TreeEntryInput } from './object-input.ts';

/** Writes a tree from a base and entries, or refuses with the entry that cannot be. */
export async function makeTree(
  git: GitRepository,
  base: ObjectId | undefined,
  entries: readonly TreeEntryInput[],
): Promise<ObjectId> {
  if (base && !(await git.readTree(base, { entriesMax: 0 }))) {
    return unprocessable('base_tree is not a valid tree oid');
  }
  const changes: TreeChange[] = [];
  for (const { path, mode, source } of entries) {
    changes.push({ path, mode, id: source && (await objectOf(git, source)) });
  }
  const written = await git.writeTree(base, changes);
  if (written.kind === 'written') return written.id;
  const fault = changes.find((change) => change.path === written.path);
  if (!fault?.id) {
    return unprocessable(
      `tree.path ${written.path} cannot be removed: base_tree has no such path.`,
    );
  }
  return unprocessable(`tree.sha ${fault.id} is not a valid ${typeOfMode(fault.mode)}`);
}

function objectOf(
  git: GitRepository,
  source: NonNullable<TreeEntryInput['source']>,
): ObjectId | Promise<ObjectId> {
  return 'id' in source ? source.id : git.writeBlob(Buffer.from(source.content));
}

function unprocessable(message: string): never {
  return refuse({ kind: 'unprocessable', message });
}
