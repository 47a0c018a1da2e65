import { access, open } from 'node:fs/promises';

import { isAbsent } from '#platform/absent-files.ts';

import { GitError } from '../git-error.ts';

/**
 * Makes writes durable, and stops everything when the disk does not confirm one (reliability rules
 * D1 and D3): after a failed sync the kernel may have dropped the data and call the next sync a
 * success, so nothing may go on.
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

  fail(cause: unknown, operation: string): GitError {
    this.#failure ??= new GitError(
      'not-durable',
      `The disk failed to sync a write (${operation}). Check the volume, then restart Hob.`,
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
   * Syncs directories, the deepest first, since a directory's own name is made durable by its
   * parent.
   */
  async syncDirectories(directories: Iterable<string>): Promise<void> {
    const deepestFirst = [...new Set(directories)].toSorted(
      (one, other) => other.length - one.length,
    );
    // git removes directories that become empty: an absent one has nothing to sync, and its parent
    // says so.
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

export async function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}
