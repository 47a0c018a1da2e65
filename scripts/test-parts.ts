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

/** A process that has ended costs a second; one that runs for long may be alone at the end. */
const partsPerProcessor = 4;

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
  processors: number,
): TestParts {
  const spawns = (file: string): boolean => file.startsWith(spawningFolder);
  const waits = (file: string): boolean => isScenario(file) && !isBrowserTest(file);
  const computing = files.filter((file) => !waits(file));
  return {
    computing: [
      ...balancedParts(computing.filter(spawns), times, processors),
      ...balancedParts(
        computing.filter((file) => !spawns(file)),
        times,
        processors * partsPerProcessor,
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

/**
 * Longest first, each to the part with the least work so far; within a part in the order of their paths. The part with the most
 * work comes first.
 */
export function balancedParts(
  files: readonly string[],
  times: Readonly<Record<string, number>>,
  count: number,
): string[][] {
  const known = files.flatMap((file) => times[file] ?? []);
  const usual = known.reduce((sum, time) => sum + time, 0) / Math.max(1, known.length);
  const timeOf = (file: string): number => times[file] ?? (known.length > 0 ? usual : sizeOf(file));
  const parts = Array.from({ length: Math.min(count, files.length) }, () => ({
    work: 0,
    files: [] as string[],
  }));
  for (const file of files.toSorted((one, other) => timeOf(other) - timeOf(one))) {
    const least = parts.reduce((one, other) => (other.work < one.work ? other : one));
    least.work += timeOf(file);
    least.files.push(file);
  }
  return parts.toSorted((one, other) => other.work - one.work).map((part) => part.files.toSorted());
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
