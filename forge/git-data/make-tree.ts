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
  const contents = entries.flatMap(({ source }) =>
    source && 'content' in source ? [Buffer.from(source.content)] : [],
  );
  const blobs = contents.length === 0 ? [] : await git.writeBlobs(contents);
  let used = 0;
  const changes = entries.map(({ path, mode, source }): TreeChange => {
    if (source === null || 'id' in source) return { path, mode, id: source && source.id };
    const id = blobs[used];
    used += 1;
    if (!id) throw new Error('git has written fewer blobs than there are contents');
    return { path, mode, id };
  });
  const written = await git.writeTree(base, changes);
  if (written.kind === 'written') return written.id;
  if (written.kind === 'too-deep') {
    return unprocessable(
      `tree.path ${written.path} cannot have this tree: its folders are too many, or too deep inside of each other.`,
    );
  }
  const fault = changes.find((change) => change.path === written.path);
  if (!fault?.id) {
    return unprocessable(
      `tree.path ${written.path} cannot be removed: base_tree has no such path.`,
    );
  }
  return unprocessable(`tree.sha ${fault.id} is not a valid ${typeOfMode(fault.mode)}`);
}

function unprocessable(message: string): never {
  return refuse({ kind: 'unprocessable', message });
}
