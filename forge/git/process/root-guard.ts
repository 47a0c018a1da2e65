import { stat } from 'node:fs/promises';

import { GitError } from '../git-error.ts';
import { hasShardMarker } from './shard-marker.ts';

/** Notices when the volume of a shard is not mounted any more: its mount point is an empty folder, in which nothing may be created, and nothing is missing. */
export interface RootGuard {
  /** Throws when the folder is gone. */
  check(): Promise<void>;
  /** Why a call failed. */
  explain(error: unknown): Promise<unknown>;
}

/** A folder without a key is known by nothing. */
export const unguarded: RootGuard = {
  check: async () => {},
  explain: async (error) => error,
};

export async function guardRoot(root: string, key: string, onLost: () => void): Promise<RootGuard> {
  const first = await identityOf(root);
  const check = async (): Promise<void> => {
    if ((await identityOf(root)) === first && (await hasShardMarker(root, key))) return;
    onLost();
    throw new GitError('unavailable', `The folder ${root} of this shard is gone.`);
  };
  return {
    check,
    explain: (error) =>
      check().then(
        () => error,
        (lost: unknown) => lost,
      ),
  };
}

/** Undefined: it is not there, or its volume does not answer. */
async function identityOf(root: string): Promise<string | undefined> {
  try {
    const { dev, ino } = await stat(root, { bigint: true });
    return `${dev} ${ino}`;
  } catch {
    return undefined;
  }
}
