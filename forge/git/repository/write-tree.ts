import type { TreeChange, WriteTreeResult } from '../git.ts';
import type { GitDirectory } from '../commands/git-directory.ts';
import { GitError } from '../git-error.ts';
import type { PackedObject } from '../format/pack.ts';
import type { ObjectId } from '../names.ts';
import { findObject, readObject } from './objects.ts';
import {
  formatTree,
  nameFromText,
  parseTree,
  treeMode,
  type TreeRecord,
} from '../format/tree-object.ts';
import { TreeDepths, treeDepthMax } from './tree-depth.ts';
import { objectIdOf } from '../commands/loose-object.ts';
import { writeObjects } from '../commands/write-objects.ts';

/** Changes to one folder: what happens to the name itself, then to what is below it. */
interface Changes {
  change: TreeChange | undefined;
  readonly below: Map<string, Changes>;
}

export async function writeTree(
  directory: GitDirectory,
  base: ObjectId | undefined,
  changes: readonly TreeChange[],
): Promise<WriteTreeResult> {
  const unusable = await firstUnusable(directory, changes);
  if (unusable) return { kind: 'bad-object', path: unusable.path };
  const tooDeep = await firstTooDeep(directory, changes);
  if (tooDeep) return { kind: 'too-deep', path: tooDeep.path };
  if (base && !(await findObject(directory, `${base}^{tree}`))) {
    throw new GitError('missing-object', `The base ${base} is neither a tree nor a commit.`);
  }
  const edit = new TreeEdit(directory);
  const id = await edit.apply(base && `${base}^{tree}`, grow(changes));
  if (edit.absentPath !== undefined) return { kind: 'bad-object', path: edit.absentPath };
  const written = id ?? edit.add(Buffer.alloc(0));
  await writeObjects(directory, edit.trees);
  return { kind: 'written', id: written };
}

/** Objects that git is asked about at once. */
const askedAtOnce = 1000;

async function firstUnusable(
  directory: GitDirectory,
  changes: readonly TreeChange[],
): Promise<TreeChange | undefined> {
  for (let from = 0; from < changes.length; from += askedAtOnce) {
    const asked = changes.slice(from, from + askedAtOnce);
    const usable = await Promise.all(asked.map((change) => isUsable(directory, change)));
    const unusable = asked.find((_, index) => !usable[index]);
    if (unusable) return unusable;
  }
  return undefined;
}

/** Trees that are there already are put into others; paths themselves cannot be that deep. */
async function firstTooDeep(
  directory: GitDirectory,
  changes: readonly TreeChange[],
): Promise<TreeChange | undefined> {
  const depths = new TreeDepths(directory);
  for (const change of changes) {
    if (change.mode !== '040000' || change.id === null) continue;
    const around = change.path.split('/').length;
    if (await depths.isDeeperThan(change.id, treeDepthMax - around)) return change;
  }
  return undefined;
}

/**
 * Whether the object exists and is what its mode says. A submodule's commit is in another
 * repository.
 */
async function isUsable(directory: GitDirectory, change: TreeChange): Promise<boolean> {
  if (change.id === null || change.mode === '160000') return true;
  const wanted = change.mode === '040000' ? 'tree' : 'blob';
  return (await findObject(directory, change.id))?.type === wanted;
}

function grow(changes: readonly TreeChange[]): Changes {
  const root: Changes = { change: undefined, below: new Map() };
  for (const change of changes) {
    let at = root;
    for (const segment of change.path.split('/').map(nameFromText)) {
      const next = at.below.get(segment) ?? { change: undefined, below: new Map() };
      at.below.set(segment, next);
      at = next;
    }
    at.change = change;
  }
  return root;
}

class TreeEdit {
  /** A path that was to be removed and is not there. */
  absentPath: string | undefined;
  /** What is to be written. */
  readonly trees = new Map<ObjectId, PackedObject>();
  readonly #directory: GitDirectory;

  constructor(directory: GitDirectory) {
    this.#directory = directory;
  }

  /** Has a tree written with the others. */
  add(content: Buffer): ObjectId {
    const tree: PackedObject = { type: 'tree', content };
    const id = objectIdOf(tree);
    this.trees.set(id, tree);
    return id;
  }

  /** Makes the changed tree; undefined when nothing is left in it. */
  async apply(tree: string | undefined, changes: Changes): Promise<ObjectId | undefined> {
    // Awaits even without a tree: thousands of new folders inside of each other would overflow the stack.
    const found = await (tree === undefined ? undefined : readObject(this.#directory, tree));
    const records = new Map(
      parseTree(found?.content ?? Buffer.alloc(0)).map((record) => [record.name, record]),
    );
    for (const [name, below] of changes.below) {
      const next = await this.#applyTo(records.get(name), name, below);
      if (next) records.set(name, next);
      else records.delete(name);
    }
    if (records.size === 0) return undefined;
    return this.add(formatTree(records.values()));
  }

  async #applyTo(
    before: TreeRecord | undefined,
    name: string,
    { change, below }: Changes,
  ): Promise<TreeRecord | undefined> {
    const record = change ? this.#replace(before, name, change) : before;
    if (below.size === 0) return record;
    const folder = record?.mode === treeMode ? record.id : undefined;
    const id = await this.apply(folder, { change: undefined, below });
    // If the path is a file, a change that only removes paths below it leaves the file unchanged.
    if (!id) return folder ? undefined : record;
    return { mode: treeMode, name, id };
  }

  #replace(
    before: TreeRecord | undefined,
    name: string,
    change: TreeChange,
  ): TreeRecord | undefined {
    if (change.id !== null) {
      return { mode: change.mode.replace(/^0/, ''), name, id: change.id };
    }
    if (!before) this.absentPath ??= change.path;
    return undefined;
  }
}
