import { open } from 'node:fs/promises';
import { dirname } from 'node:path';

import { GitError } from './git-error.ts';

/**
 * Makes writes durable, and stops everything when the disk does not confirm one (reliability rules D1 and D3): after a
 * failed sync the kernel may have dropped the data and call the next sync a success, so nothing may go on.
 */
export class Durability {
  readonly #onFailure: (error: GitError) => void;
  #failure: GitError | undefined;

  constructor(onFailure: (error: GitError) => void) {
    this.#onFailure = onFailure;
  }

  /** Throws once a sync has failed. */
  check(): void {
    if (this.#failure) throw this.#failure;
  }

  fail(cause: unknown, what: string): GitError {
    this.#failure ??= new GitError(
      'not-durable',
      `The disk did not confirm a write (${what}). Check the volume, then start again.`,
      { cause },
    );
    this.#onFailure(this.#failure);
    return this.#failure;
  }

  /** Syncs a file or directory. */
  async sync(path: string): Promise<void> {
    this.check();
    const file = await open(path, 'r');
    try {
      await file.sync();
    } catch (error) {
      throw this.fail(error, path);
    } finally {
      await file.close();
    }
  }

  /**
   * Syncs the directories from each path up to `top`, which includes it. git removes directories that become empty:
   * an absent one has nothing to sync, and its parent is synced anyway.
   */
  async syncParents(paths: Iterable<string>, top: string): Promise<void> {
    const directories = new Set<string>([top]);
    for (const path of paths) {
      for (let at = dirname(path); at.length > top.length; at = dirname(at)) directories.add(at);
    }
    // The deepest first: a directory's own entry is made durable by its parent.
    const deepestFirst = [...directories].toSorted((one, other) => other.length - one.length);
    for (const directory of deepestFirst) await this.#syncIfPresent(directory);
  }

  async #syncIfPresent(directory: string): Promise<void> {
    try {
      await this.sync(directory);
    } catch (error) {
      if (!isAbsent(error)) throw error;
    }
  }
}

/** Whether a file system error says that nothing is there. */
export function isAbsent(error: unknown): boolean {
  return (
    error instanceof Error &&
    'code' in error &&
    (error.code === 'ENOENT' || error.code === 'ENOTDIR')
  );
}
