import { open, rm } from 'node:fs/promises';
import { join } from 'node:path';

import { isAbsent } from './durability.ts';

/**
 * Remembers on disk which repositories are being written to, so that recovery after a crash looks only at those. The
 * marker is made before the writer starts; journalling file systems keep that order through a power cut.
 */
export class BusyRepositories {
  readonly #directory: string;
  readonly #writers = new Map<number, Promise<Writers>>();

  constructor(directory: string) {
    this.#directory = directory;
  }

  /** Runs a piece of work that writes to a repository. */
  async during<T>(repositoryId: number, work: () => Promise<T>): Promise<T> {
    const writers = await this.#enter(repositoryId);
    try {
      return await work();
    } finally {
      await this.#leave(repositoryId, writers);
    }
  }

  async #enter(repositoryId: number): Promise<Writers> {
    const marked = this.#writers.get(repositoryId) ?? this.#mark(repositoryId);
    this.#writers.set(repositoryId, marked);
    const writers = await marked;
    // Between the two lines the last writer may have left and removed the marker.
    if (writers.removed) return this.#enter(repositoryId);
    writers.count += 1;
    return writers;
  }

  async #mark(repositoryId: number): Promise<Writers> {
    try {
      const file = await open(this.#path(repositoryId), 'w');
      await file.close();
    } catch (error) {
      this.#writers.delete(repositoryId);
      throw error;
    }
    return { count: 0, removed: false };
  }

  async #leave(repositoryId: number, writers: Writers): Promise<void> {
    writers.count -= 1;
    if (writers.count > 0) return;
    writers.removed = true;
    // Removed before it is forgotten, so that a new writer cannot make the marker only to lose it here.
    const removing = removeMarker(this.#path(repositoryId)).then(() => writers);
    this.#writers.set(repositoryId, removing);
    await removing;
    if (this.#writers.get(repositoryId) === removing) this.#writers.delete(repositoryId);
  }

  #path(repositoryId: number): string {
    return join(this.#directory, String(repositoryId));
  }
}

interface Writers {
  count: number;
  removed: boolean;
}

async function removeMarker(path: string): Promise<void> {
  try {
    await rm(path);
  } catch (error) {
    if (!isAbsent(error)) throw error;
  }
}
