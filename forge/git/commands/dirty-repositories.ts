import { open, rm } from 'node:fs/promises';
import { join } from 'node:path';

import { isAbsent } from '#platform/absent-files.ts';

/** Removes what a killed writer left in a repository without other writers. */
export type RemoveStaleFiles = (repositoryId: number) => Promise<void>;

/**
 * Remembers on disk which repositories are being written to, so that recovery after a crash looks
 * only at those. The marker is made before the writer starts; journalling file systems keep that
 * order through a power cut.
 */
export class DirtyRepositories {
  readonly #directory: string;
  readonly #removeStaleFiles: RemoveStaleFiles;
  readonly #writers = new Map<number, Promise<Writers>>();
  readonly #killedIn = new Set<number>();

  constructor(directory: string, removeStaleFiles: RemoveStaleFiles) {
    this.#directory = directory;
    this.#removeStaleFiles = removeStaleFiles;
  }

  /**
   * Runs a piece of work that writes to a repository. Work that fails may have had its git killed,
   * which leaves lock files: the last writer to leave removes them, so that no branch stays locked
   * until the next start.
   */
  async during<T>(repositoryId: number, work: () => Promise<T>): Promise<T> {
    const writers = await this.#enter(repositoryId);
    try {
      return await work();
    } catch (error) {
      this.writerKilled(repositoryId);
      throw error;
    } finally {
      await this.#leave(repositoryId, writers);
    }
  }

  /** Reports that a writer was killed although its work did not fail. Called within `during`. */
  writerKilled(repositoryId: number): void {
    this.#killedIn.add(repositoryId);
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
    // Removed before it is forgotten, so that a new writer cannot make the marker only to lose it
    // here. New writers wait for this, because stale lock files belong to no running writer.
    const removing = this.#cleanUp(repositoryId).then(() => writers);
    this.#writers.set(repositoryId, removing);
    try {
      await removing;
    } finally {
      if (this.#writers.get(repositoryId) === removing) this.#writers.delete(repositoryId);
    }
  }

  async #cleanUp(repositoryId: number): Promise<void> {
    if (this.#killedIn.has(repositoryId)) {
      try {
        await this.#removeStaleFiles(repositoryId);
      } catch {
        // The work itself is done, so this is not its failure. The marker stays: the next writer,
        // or the next start, tries again, and a lock that is really in the way makes itself known.
        return;
      }
      this.#killedIn.delete(repositoryId);
    }
    await removeMarker(this.#path(repositoryId));
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
