import {
  runIn,
  whileMarkedDirty,
  type GitDirectory,
  syncPacks,
} from '../commands/git-directory.ts';
import type { ObjectId } from '../names.ts';

const mebibyte = 1024 * 1024;

/** Copy between repositories, and maintenance: time, and memory. */
export const copyLimits = { seconds: 3600, memoryBytes: 2048 * mebibyte };
/** Lets git read one of our own repositories by its path. */
export const copyEnvironment = { GIT_ALLOW_PROTOCOL: 'file' };

/**
 * Copies objects as a pack of their own. Nothing names them yet: new objects are safe from
 * `maintain` for two weeks, within which the caller makes a ref.
 */
export async function fetchObjects(
  directory: GitDirectory,
  source: GitDirectory,
  ids: readonly ObjectId[],
): Promise<void> {
  if (ids.length === 0 || source.id === directory.id) return;
  await whileMarkedDirty(directory, async () => {
    await runIn(
      directory,
      [
        'fetch',
        '--quiet',
        '--no-tags',
        '--no-write-fetch-head',
        '--no-auto-maintenance',
        '--no-recurse-submodules',
        '--',
        source.path,
        ...ids,
      ],
      { limits: copyLimits, environment: copyEnvironment },
    );
    await syncPacks(directory);
  });
}
