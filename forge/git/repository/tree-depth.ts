import type { GitDirectory } from '../commands/git-directory.ts';
import { parseTree, treeMode } from '../format/tree-object.ts';
import type { ObjectId } from '../names.ts';
import { readObject } from './objects.ts';

/**
 * Folders inside of each other in a tree, as in git since 2.43 (core.maxTreeDepth). Commands of git call themselves for each: where they
 * are too many, git dies, and nobody can clone the repository.
 */
export const treeDepthMax = 2048;

/** Different folders of a tree that is put into another one, whose depth is found out. */
const foldersMax = 100_000;

/** How deep trees are. Each folder is read once, wherever it is. */
export class TreeDepths {
  readonly #directory: GitDirectory;
  readonly #depths = new Map<ObjectId, Promise<number>>();
  #isOver = false;

  constructor(directory: GitDirectory) {
    this.#directory = directory;
  }

  /** Whether more folders are inside of each other there, the tree itself included; also true where there are very many. */
  async isDeeperThan(tree: ObjectId, levels: number): Promise<boolean> {
    const depth = await this.#depthOf(tree, 1, levels);
    return this.#isOver || depth > levels;
  }

  #depthOf(tree: ObjectId, level: number, levels: number): Promise<number> {
    if (level > levels || this.#depths.size > foldersMax) this.#isOver = true;
    if (this.#isOver) return Promise.resolve(level);
    const known = this.#depths.get(tree) ?? this.#read(tree, level, levels);
    this.#depths.set(tree, known);
    return known;
  }

  async #read(tree: ObjectId, level: number, levels: number): Promise<number> {
    const found = await readObject(this.#directory, tree);
    if (found?.type !== 'tree') return 0;
    let deepest = 0;
    const folders = parseTree(found.content).filter(({ mode }) => mode === treeMode);
    const below = folders.map(({ id }) => this.#depthOf(id, level + 1, levels));
    for (const depth of await Promise.all(below)) deepest = Math.max(deepest, depth);
    return 1 + deepest;
  }
}
