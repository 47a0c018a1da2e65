import type { Database } from '#platform/database/database.ts';

import { largestFunctions } from './code/code-store.ts';
import { groupFolder, listGroups, listStreams } from './logs/log-files.ts';

export interface FunctionStorage {
  /** Archives of all versions, those with the most bytes first. */
  readonly functions: readonly { readonly name: string; readonly bytes: number }[];
  /** Log groups, those with the most bytes first. */
  readonly logGroups: readonly { readonly name: string; readonly bytes: number }[];
  /** Log groups that were not measured, because there are too many. */
  readonly unmeasured: number;
}

/** Functions, and log groups, on the page about storage, the largest. */
const listedMax = 50;

/** Log groups that are measured for that page: each is a folder to look into. */
const groupsMax = 1000;

/** What takes the most space. */
export async function measureStorage(
  database: Database,
  logFolder: string,
): Promise<FunctionStorage> {
  const functions = await database.read((sql) => largestFunctions(sql, listedMax));
  const groups = await listGroups(logFolder);
  const measured: { name: string; bytes: number }[] = [];
  for (const name of groups.slice(0, groupsMax)) {
    const streams = await listStreams(groupFolder(logFolder, name));
    measured.push({ name, bytes: streams.reduce((sum, { bytes }) => sum + bytes, 0) });
  }
  return {
    functions,
    logGroups: measured.toSorted((one, other) => other.bytes - one.bytes).slice(0, listedMax),
    unmeasured: Math.max(0, groups.length - groupsMax),
  };
}
