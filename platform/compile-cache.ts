import { getCompileCacheDir } from 'node:module';
import { dirname } from 'node:path';

/** The environment in which a program of ours uses the cache of compiled code that this one uses, if any: it starts in half the time. */
export function compileCacheEnvironment(): Record<string, string> {
  const folder = getCompileCacheDir();
  // Node puts what it compiles into a folder of its version within the configured one.
  return folder === undefined ? {} : { NODE_COMPILE_CACHE: dirname(folder) };
}
