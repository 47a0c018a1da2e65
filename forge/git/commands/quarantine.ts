import { existsSync } from 'node:fs';
import { mkdir, readFile, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { promisify } from 'node:util';
import { inflate } from 'node:zlib';

import { isAbsent } from '#platform/absent-files.ts';
import { inBackground } from '#platform/in-background.ts';

import type { Durability } from './durability.ts';
import type { ObjectType } from '../git.ts';
import { looseObjectPath, writeUnsyncedObject } from './loose-object.ts';
import { expectObjectId } from '../names.ts';
import type { ObjectId } from '../names.ts';
import { headerText, parseRawObject } from '../format/raw-object.ts';
import type { CollectedCommand, GitOutput, GitRunner } from './run-git.ts';
import { parseTree, treeMode } from '../format/tree-object.ts';
import { BatchProcess } from './batch-process.ts';

const decompress = promisify(inflate);

/** Attempted merges that share an object directory before it is removed with all of its objects. */
const usesMax = 1000;
/** Age of a shared object directory at which it is removed. */
const ageMillisecondsMax = 60_000;
/** Synchronous checks of the file system before other work gets its turn. */
const checksMax = 1000;
const submoduleMode = '160000';

export interface QuarantinePorts {
  readonly runner: GitRunner;
  readonly durability: Durability;
}

type QuarantineCommand = Required<Pick<CollectedCommand, 'limits' | 'statuses'>>;
type CommandLimits = QuarantineCommand['limits'];

/**
 * A separate object directory for merges and rebases, like the one that `git receive-pack` uses for the objects of a push
 * (git-receive-pack(1), QUARANTINE ENVIRONMENT). git writes new objects there and finds the repository's as alternates.
 * Its files are not synced, and only objects that `migrate` moves into the repository outlive it.
 */
export class Quarantine {
  readonly #ports: QuarantinePorts;
  /** Of the repository. */
  readonly #repository: string;
  readonly #path: string;
  readonly #startedAt = performance.now();
  #made: Promise<unknown> | undefined;
  #batch: BatchProcess | undefined;
  #users = 0;
  #uses = 0;
  #retired = false;
  #checks = 0;
  #migrated: Promise<unknown> = Promise.resolve();

  constructor(ports: QuarantinePorts, repository: string, path: string) {
    this.#ports = ports;
    this.#repository = repository;
    this.#path = path;
  }

  /** False when it should not be used any more. */
  get usable(): boolean {
    const age = performance.now() - this.#startedAt;
    return !this.#retired && this.#uses < usesMax && age < ageMillisecondsMax;
  }

  get idle(): boolean {
    return this.#users === 0;
  }

  /** Runs work on its objects, which exist until the work is done. */
  async use<T>(work: () => Promise<T>): Promise<T> {
    this.#users += 1;
    this.#uses += 1;
    try {
      await this.#make();
      return await work();
    } finally {
      this.#users -= 1;
      this.#removeUnused();
    }
  }

  /** Removes it after its last use has ended. */
  retire(): void {
    this.#retired = true;
    this.#removeUnused();
  }

  async kill(): Promise<void> {
    this.#retired = true;
    await this.#batch?.kill();
    await rm(this.#path, { recursive: true, force: true });
  }

  /** Runs a git command that writes its objects here. */
  run(parts: readonly string[], more: QuarantineCommand): Promise<GitOutput> {
    return this.#ports.runner.run({ ...this.#command(parts), ...more });
  }

  /** The long-lived git command that writes its objects here: every call is for the same one. It ends with the quarantine. */
  batch(parts: readonly string[], limits: CommandLimits, responseSeconds: number): BatchProcess {
    if (this.#batch?.usable) return this.#batch;
    const child = this.#ports.runner.start({ ...this.#command(parts), limits, unbuffered: true });
    const maxResponses = Number.POSITIVE_INFINITY;
    return (this.#batch = new BatchProcess(child, { responseSeconds, maxResponses }));
  }

  write(type: ObjectType, content: Buffer): Promise<ObjectId> {
    return writeUnsyncedObject(this.#path, type, content);
  }

  /** Moves an object, and all of its own that it needs, into the repository, durable when it answers. */
  migrate(id: ObjectId, type: 'commit' | 'tree'): Promise<void> {
    // One after the other: what another has moved already must be durable too.
    const migrating = this.#migrated.then(() => this.#migrate(id, type));
    this.#migrated = migrating.catch(() => undefined);
    return migrating;
  }

  async #migrate(id: ObjectId, type: 'commit' | 'tree'): Promise<void> {
    const found = new Map<ObjectId, string>();
    await this.#collect(id, type, found);
    const { durability } = this.#ports;
    await Promise.all([...found.values()].map((path) => durability.sync(path)));
    const objects = join(this.#repository, 'objects');
    const changed = new Set<string>();
    for (const [object, path] of found) {
      const target = looseObjectPath(objects, object);
      if (await moveInto(path, target)) changed.add(objects);
      changed.add(dirname(target));
    }
    await durability.syncDirectories(changed);
  }

  /** What an object needs of what lies here, before the object itself. What does not lie here is the repository's own. */
  async #collect(
    id: ObjectId,
    type: 'commit' | 'tree' | 'blob',
    found: Map<ObjectId, string>,
  ): Promise<void> {
    if (found.has(id) || !(await this.#has(id))) return;
    const path = looseObjectPath(this.#path, id);
    for (const needed of await neededBy(path, type)) {
      await this.#collect(needed.id, needed.type, found);
    }
    found.set(id, path);
  }

  /**
   * Trees name many objects, few of which are new. A synchronous check takes microseconds, an asynchronous one a tenth of a
   * millisecond.
   */
  async #has(id: ObjectId): Promise<boolean> {
    this.#checks += 1;
    if (this.#checks % checksMax === 0) await nextTurn();
    return existsSync(looseObjectPath(this.#path, id));
  }

  /** Tried again by the next use where it failed: the disk was full, say. */
  async #make(): Promise<void> {
    const making = (this.#made ??= mkdir(this.#path, { recursive: true }));
    try {
      await making;
    } catch (error) {
      if (this.#made === making) this.#made = undefined;
      throw error;
    }
  }

  #removeUnused(): void {
    if (!this.#retired || this.#users > 0) return;
    inBackground(this.kill());
  }

  #command(parts: readonly string[]) {
    return {
      arguments: parts,
      repositoryPath: this.#repository,
      settings: ['core.fsync=none'],
      environment: {
        GIT_OBJECT_DIRECTORY: this.#path,
        // Quoted, so that a colon in a folder's name does not end it (git(1)).
        GIT_ALTERNATE_OBJECT_DIRECTORIES: quoted(join(this.#repository, 'objects')),
      },
    };
  }
}

/** Returns whether the folder of the target had to be created. */
async function moveInto(path: string, target: string): Promise<boolean> {
  for (let attempt = 0; ; attempt += 1) {
    try {
      await rename(path, target);
      return attempt > 0;
    } catch (error) {
      // `git prune` removes empty folders, also one that was made just now.
      if (!isAbsent(error) || attempt === 20) throw error;
    }
    await mkdir(dirname(target), { recursive: true });
  }
}

type Needed = { readonly id: ObjectId; readonly type: 'commit' | 'tree' | 'blob' };

async function neededBy(path: string, type: Needed['type']): Promise<Needed[]> {
  if (type === 'blob') return [];
  const bytes = await decompress(await readFile(path));
  const content = bytes.subarray(bytes.indexOf(0) + 1);
  if (type === 'tree') {
    return parseTree(content)
      .filter(({ mode }) => mode !== submoduleMode)
      .map(({ id, mode }) => ({ id, type: mode === treeMode ? 'tree' : 'blob' }));
  }
  const raw = parseRawObject(content);
  const parents = raw.headers.filter(({ name }) => name === 'parent');
  return [
    { id: expectObjectId(headerText(raw, 'tree')), type: 'tree' },
    ...parents.map(({ value }) => ({
      id: expectObjectId(value.toString()),
      type: 'commit' as const,
    })),
  ];
}

function quoted(path: string): string {
  return `"${path.replaceAll(/["\\]/g, String.raw`\$&`)}"`;
}
