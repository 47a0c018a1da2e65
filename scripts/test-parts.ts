/** How the files of a test run are shared out among its processes, by how long each took the last time. */
import { mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

import { isBrowserTest, isScenario } from './test-kinds.ts';
import type { TestParts } from './test-processes.ts';

export const projectFolder: string = join(import.meta.dirname, '..');
/** How long each file took the last time, in milliseconds, by its path. What takes longest on one engine need not on another. */
const timesFiles = {
  sqlite: join(projectFolder, '.hob/test-times.json'),
  postgres: join(projectFolder, '.hob/test-times-postgres.json'),
} as const;

export type TestEngine = keyof typeof timesFiles;

/** Each part is a process, which needs seconds before its first test. */
const filesPerPartMin = 8;
/** Of the work of all. A smaller part would take hardly longer than its process needs to start. */
const shareMin = 0.03;

/** Their tests start git hundreds of times, which takes longer the larger the process is: they share none with a whole forge. */
const spawningFolder = 'forge/git/';

/** What takes longest of the scenarios, for a run that knows no times: at the end they would run alone. */
export const longScenarios: readonly string[] = [
  'scenarios/offline.scenario.test.ts',
  'scenarios/hostile-values.scenario.test.ts',
  'scenarios/deleted-repository.scenario.test.ts',
  'faults/faults.test.ts',
  'scenarios/package.scenario.test.ts',
  'scenarios/backup.scenario.test.ts',
  'scenarios/function-homes.scenario.test.ts',
  'scenarios/lost-shard.scenario.test.ts',
  'scenarios/slow-clients.scenario.test.ts',
  'scenarios/kill.scenario.test.ts',
  'scenarios/shards.scenario.test.ts',
  'commands/serve/moves/network-mover.scenario.test.ts',
  'scenarios/testing-examples.scenario.test.ts',
  'scenarios/merge-a-pull-request.scenario.test.ts',
  'forge/auth/access-matrix.scenario.test.ts',
];

export function partsOf(
  files: readonly string[],
  times: Readonly<Record<string, number>>,
  { processors, processes }: { readonly processors: number; readonly processes: number },
): TestParts {
  const spawns = (file: string): boolean => file.startsWith(spawningFolder);
  const waits = (file: string): boolean => isScenario(file) && !isBrowserTest(file);
  const computing = files.filter((file) => !waits(file));
  return {
    computing: [
      ...balancedParts(computing.filter(spawns), times, processors),
      ...shrinkingParts(
        computing.filter((file) => !spawns(file)),
        times,
        processes,
      ),
    ],
    waiting: longestFirst(files.filter(waits), times).map((file) => [file]),
  };
}

function longestFirst(
  files: readonly string[],
  times: Readonly<Record<string, number>>,
): readonly string[] {
  const long = longScenarios.filter((file) => files.includes(file));
  const timeOf = (file: string): number =>
    times[file] ?? (long.includes(file) ? Number.MAX_VALUE : 0);
  return [...long, ...files.filter((file) => !long.includes(file))].toSorted(
    (one, other) => timeOf(other) - timeOf(one),
  );
}

/** Equal parts, as far as the times of the files are known. */
export function balancedParts(
  files: readonly string[],
  times: Readonly<Record<string, number>>,
  count: number,
): string[][] {
  const shares = Array.from({ length: Math.min(count, files.length) }, () => 1);
  return sharedOut(files, times, shares);
}

/**
 * Parts that get smaller (guided self-scheduling): the last ones fill the time until all processes have ended, however wrong the
 * estimates were.
 */
export function shrinkingParts(
  files: readonly string[],
  times: Readonly<Record<string, number>>,
  processes: number,
): string[][] {
  const countMax = Math.max(processes, Math.floor(files.length / filesPerPartMin));
  const shares: number[] = [];
  for (let left = 1; left > 0 && shares.length < Math.min(countMax, files.length);) {
    const share = Math.min(left, Math.max(left / (1.5 * processes), shareMin));
    shares.push(share);
    left -= share;
  }
  return sharedOut(files, times, shares);
}

/**
 * Longest first, each to the part that lacks most of its share; within a part in the order of their paths. The part with the most
 * work comes first.
 */
function sharedOut(
  files: readonly string[],
  times: Readonly<Record<string, number>>,
  shares: readonly number[],
): string[][] {
  const known = files.flatMap((file) => times[file] ?? []);
  const usual = known.reduce((sum, time) => sum + time, 0) / Math.max(1, known.length);
  const timeOf = (file: string): number => times[file] ?? (known.length > 0 ? usual : sizeOf(file));
  const total = files.reduce((sum, file) => sum + timeOf(file), 0);
  const sum = shares.reduce((one, other) => one + other, 0);
  const parts = shares.map((share) => {
    const goal = (share / sum) * total;
    return { goal, work: 0, files: [] as string[] };
  });
  for (const file of files.toSorted((one, other) => timeOf(other) - timeOf(one))) {
    const emptiest = parts.reduce((one, other) =>
      other.goal - other.work > one.goal - one.work ? other : one,
    );
    emptiest.work += timeOf(file);
    emptiest.files.push(file);
  }
  return parts
    .filter((part) => part.files.length > 0)
    .toSorted((one, other) => other.work - one.work)
    .map((part) => part.files.toSorted());
}

function sizeOf(file: string): number {
  return statSync(join(projectFolder, file), { throwIfNoEntry: false })?.size ?? 1;
}

/** Of the other engine where a file has not run on this one. Empty at the first run, and where an interrupted one left half a file. */
export function lastTimes(engine: TestEngine): Record<string, number> {
  return { ...readTimes(timesFiles.sqlite), ...readTimes(timesFiles[engine]) };
}

export function saveTimes(engine: TestEngine, times: Readonly<Record<string, number>>): void {
  const file = timesFiles[engine];
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, JSON.stringify({ ...readTimes(file), ...times }));
}

function readTimes(file: string): Record<string, number> {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    return {};
  }
}
