/** The archives of code that all servers of an installation have, each named by its hash. */
export interface SharedArchives {
  /** Stores the archive that is in a file, durably. It is not removed within the next hour. A store over a network is given up at the signal. */
  add(sha256: string, file: string, within?: AbortSignal): Promise<void>;
  /** Provides the archive as a file, which is there until `use` has ended. Rejects if it is not stored, or is not what its hash says. */
  use<T>(sha256: string, use: (path: string) => Promise<T>): Promise<T>;
  /** Removes the archives that were not added lately and that `keep` does not return of those found. */
  prune(keep: (found: readonly string[]) => Promise<ReadonlySet<string>>): Promise<number>;
  /** The hashes of all. */
  list(): Promise<readonly string[]>;
  /** Removes what `use` has copied to this host and not used since the last call. */
  removeCopies(): Promise<void>;
  close(): void;
}

/**
 * Time since its last upload before which an archive that several servers share is not removed; from a bucket an hour later.
 * Far longer than it takes from adding an archive to the commit of the row that names it.
 */
export const freshMilliseconds = 3_600_000;

/** The hash of the archive that has this name in a store; undefined: it is something else. */
export function archiveHash(name: string): string | undefined {
  return /^([0-9a-f]{64})\.zip$/.exec(name)?.[1];
}
