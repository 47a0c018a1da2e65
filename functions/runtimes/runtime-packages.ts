import { cp, readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';

import { errorCode } from '#platform/error-code.ts';

/** Runtimes for which the AWS SDK can be added; AWS's runtimes include it. */
export const packagedRuntimes = ['nodejs', 'python'] as const;
export type PackagedRuntime = (typeof packagedRuntimes)[number];

/** The packages that were added for a runtime. */
export interface PackageSet {
  readonly runtime: PackagedRuntime;
  /** On the host; becomes `/var/runtime`. */
  readonly folder: string;
  /** The packages that were asked for, with the versions that they have. */
  readonly versions: Readonly<Record<string, string>>;
}

/** Written last, so that a set that has it is whole. */
export const recordName = 'hob-packages.json';

/** The sets of a runtime are in here, each under a number. */
export function setsFolder(functionsFolder: string, runtime: PackagedRuntime): string {
  return join(functionsFolder, 'runtimes', runtime);
}

/** The newest set of each runtime that has one. */
export async function findPackageSets(functionsFolder: string): Promise<PackageSet[]> {
  const found = await Promise.all(
    packagedRuntimes.map((runtime) => findPackageSet(functionsFolder, runtime)),
  );
  return found.filter((set) => set !== undefined);
}

export async function findPackageSet(
  functionsFolder: string,
  runtime: PackagedRuntime,
): Promise<PackageSet | undefined> {
  const sets = setsFolder(functionsFolder, runtime);
  for (const number of (await setNumbers(sets)).toReversed()) {
    const folder = join(sets, String(number));
    const record = await orMissing(readFile(join(folder, recordName), 'utf8'));
    if (record === undefined) continue;
    const versions: PackageSet['versions'] = JSON.parse(record);
    return { runtime, folder, versions };
  }
  return undefined;
}

/** In order. */
export async function setNumbers(sets: string): Promise<number[]> {
  const names = (await orMissing(readdir(sets))) ?? [];
  return names
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .toSorted((one, other) => one - other);
}

/**
 * Prepares the newest sets for mounting: adds our own runtime client to the packages, since both are in `/var/runtime`. Removes older
 * sets, which is only possible while no function runs.
 */
export async function openPackageSets(
  functionsFolder: string,
  clients: string,
): Promise<Partial<Record<PackagedRuntime, string>>> {
  const opened: Partial<Record<PackagedRuntime, string>> = {};
  for (const { runtime, folder } of await findPackageSets(functionsFolder)) {
    await cp(join(clients, runtime), folder, { recursive: true, force: true });
    opened[runtime] = folder;
    const sets = setsFolder(functionsFolder, runtime);
    for (const number of await setNumbers(sets)) {
      const other = join(sets, String(number));
      // A newer one is being made.
      if (other === folder || number > Number(folder.slice(sets.length + 1))) continue;
      await rm(other, { recursive: true, force: true });
    }
  }
  return opened;
}

async function orMissing<T>(reading: Promise<T>): Promise<T | undefined> {
  try {
    return await reading;
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined;
    throw error;
  }
}
