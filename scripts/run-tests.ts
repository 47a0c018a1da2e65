import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { globSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join, relative } from 'node:path';
import { createInterface } from 'node:readline';
import { Readable } from 'node:stream';

import type { TestCounts, TestReport } from './test-reporter.ts';

export const projectFolder: string = join(import.meta.dirname, '..');
/** How long each file took the last time, in milliseconds, by its path. */
const timesFile = join(projectFolder, '.hob/test-times.json');

/** What `npm test` leaves to `npm run test:scenarios`: whole servers, killed, restarted and starved. */
export const scenarioFolders: readonly string[] = ['scenarios/', 'faults/', 'examples/'];

export interface TestOptions {
  readonly environment?: Readonly<Record<string, string>>;
  /** Which files are run where no argument names any. */
  readonly usual?: (file: string) => boolean;
}

/** A process that has ended costs a second; one that runs for long may be alone at the end. */
const partsPerProcessor = 4;

/** Their tests start git hundreds of times, which takes longer the larger the process is: they share none with a whole forge. */
const spawningFolder = 'forge/git/';

/**
 * Runs the test files whose paths contain one of the arguments, as many processes at once as there are processors, and returns
 * the exit status. A process runs many files together, which is twenty times faster than a process a file. Arguments that begin
 * with a dash go to Node.
 */
export async function runTests(
  args: readonly string[],
  { environment = {}, usual = () => true }: TestOptions = {},
): Promise<number> {
  const options = args.filter((arg) => arg.startsWith('-'));
  const filters = args.filter((arg) => !arg.startsWith('-'));
  const files = testFiles(filters).filter((file) => filters.length > 0 || usual(file));
  if (files.length === 0) {
    process.stderr.write(`No test file has ${filters.join(' or ')} in its path.\n`);
    return 1;
  }
  const started = performance.now();
  const run = new TestRun(files.length);
  const processors = availableParallelism();
  const parts = partsOf(files, lastTimes(), processors);
  const running = new Set<ChildProcess>();
  const stop = new AbortController();
  // A terminal sends its signals to all; `kill` names only this process.
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => {
      stop.abort();
      for (const child of running) child.kill('SIGTERM');
    });
  }
  const ends: number[] = [];
  const runParts = async (): Promise<void> => {
    for (let part = parts.shift(); part && !stop.signal.aborted; part = parts.shift()) {
      const child = startPart(part, options, environment);
      running.add(child);
      ends.push(await run.follow(child));
      running.delete(child);
    }
  };
  await Promise.all(Array.from({ length: processors }, runParts));
  run.printSummary(performance.now() - started);
  saveTimes(run.times);
  return !stop.signal.aborted && ends.every((end) => end === 0) ? 0 : 1;
}

function startPart(
  files: readonly string[],
  options: readonly string[],
  environment: Readonly<Record<string, string>>,
): ChildProcess {
  return spawn(
    process.execPath,
    [
      '--test',
      '--test-isolation=none',
      '--test-timeout=120000',
      `--test-reporter=${join(import.meta.dirname, 'test-reporter.ts')}`,
      ...options,
      ...files,
    ],
    {
      cwd: projectFolder,
      stdio: ['ignore', 'inherit', 'inherit', 'pipe'],
      env: { ...process.env, ...environment },
    },
  );
}

interface FileResult {
  readonly name: string;
  tests: number;
  milliseconds: number;
  passed: boolean;
}

/** How long a process may go on after its last test: whatever is still open then would prevent its exit. */
const endMilliseconds = 30_000;
/** How long a process may report nothing: Node counts only once nothing is open any more, which a failed test may prevent. */
const silentMilliseconds = 600_000;

/** The results of all parts, printed as they come. */
export class TestRun {
  readonly times: Record<string, number> = {};
  readonly #counts: TestCounts = {
    tests: 0,
    passed: 0,
    failed: 0,
    cancelled: 0,
    skipped: 0,
    todo: 0,
  };
  readonly #failures: string[] = [];
  readonly #fileCount: number;

  readonly #write: (text: string) => void;

  constructor(fileCount: number, write = (text: string): void => void process.stdout.write(text)) {
    this.#fileCount = fileCount;
    this.#write = write;
  }

  /**
   * Reads the reports of a part and returns its exit status; a part that ends without its counts has failed, and so has one that
   * does not end after them, which is killed.
   */
  async follow(
    child: ChildProcess,
    end = endMilliseconds,
    silent = silentMilliseconds,
  ): Promise<number> {
    const ended = once(child, 'exit');
    let patience: NodeJS.Timeout | undefined;
    const killAfter = (milliseconds: number, why: string): void => {
      clearTimeout(patience);
      patience = setTimeout(() => {
        this.#print(`✖ A test process ${why}.`);
        child.kill('SIGKILL');
      }, milliseconds);
    };
    const silence = 'reported nothing for too long: something hangs, or is still open';
    killAfter(silent, silence);
    const reports = child.stdio[3];
    if (!(reports instanceof Readable)) throw new Error('The reports of the tests have no pipe.');
    let counted = false;
    let file: FileResult = { name: '', tests: 0, milliseconds: 0, passed: true };
    for await (const line of createInterface({ input: reports })) {
      const report: TestReport = JSON.parse(line);
      killAfter(silent, silence);
      if (report.kind === 'counts') {
        counted = true;
        killAfter(end, 'did not end after its last test: something is still open');
        for (const name of countNames) this.#counts[name] += report.counts[name];
      } else if (report.kind === 'failed') {
        this.#printFailure(report);
      } else {
        const name = relative(projectFolder, report.file);
        if (name !== file.name) {
          this.#printFile(file);
          file = { name, tests: 0, milliseconds: 0, passed: true };
        }
        file.tests += report.tests;
        file.milliseconds += report.milliseconds;
        file.passed &&= report.passed;
      }
    }
    this.#printFile(file);
    const [status, signal] = await ended;
    clearTimeout(patience);
    if (counted) return typeof status === 'number' ? status : 1;
    this.#counts.failed += 1;
    this.#print(`✖ A test process ended early, by ${signal ?? `status ${status}`}.`);
    return 1;
  }

  #printFile({ name, tests, milliseconds, passed }: FileResult): void {
    if (name === '') return;
    this.times[name] = Math.round(milliseconds);
    const mark = passed ? '✔' : '✖';
    this.#print(`${mark} ${name} (${tests} tests, ${(milliseconds / 1000).toFixed(1)} s)`);
  }

  #printFailure({ file, line, name, error }: Extract<TestReport, { kind: 'failed' }>): void {
    const at = `${relative(projectFolder, file)}:${line}`;
    const failure = `✖ ${name}\n  ${at}\n  ${error.replaceAll('\n', '\n  ')}\n`;
    this.#failures.push(failure);
    this.#print(failure);
  }

  printSummary(milliseconds: number): void {
    if (this.#failures.length > 0) this.#print(`\nFailed:\n\n${this.#failures.join('\n')}`);
    const { tests, passed, failed, cancelled, skipped, todo } = this.#counts;
    const rows = { tests, pass: passed, fail: failed, cancelled, skipped, todo };
    for (const [name, value] of Object.entries(rows)) this.#print(`ℹ ${name} ${value}`);
    this.#print(`ℹ duration_s ${(milliseconds / 1000).toFixed(1)}`);
  }

  #print(text: string): void {
    if (!process.stdout.isTTY) {
      this.#write(`${text}\n`);
      return;
    }
    const done = Object.keys(this.times).length;
    this.#write(`\r\u001b[K${text}\n${done} of ${this.#fileCount} files …\r`);
  }
}

export function partsOf(
  files: readonly string[],
  times: Readonly<Record<string, number>>,
  processors: number,
): string[][] {
  const spawns = (file: string): boolean => file.startsWith(spawningFolder);
  return [
    ...balancedParts(files.filter(spawns), times, processors),
    ...balancedParts(
      files.filter((file) => !spawns(file)),
      times,
      processors * partsPerProcessor,
    ),
  ];
}

const countNames = ['tests', 'passed', 'failed', 'cancelled', 'skipped', 'todo'] as const;

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

/** Empty at the first run, and where an interrupted one left half a file. */
function lastTimes(): Record<string, number> {
  try {
    return JSON.parse(readFileSync(timesFile, 'utf8'));
  } catch {
    return {};
  }
}

function saveTimes(times: Readonly<Record<string, number>>): void {
  mkdirSync(join(projectFolder, '.hob'), { recursive: true });
  writeFileSync(timesFile, JSON.stringify({ ...lastTimes(), ...times }));
}

export function testFiles(filters: readonly string[]): string[] {
  return globSync('**/*.{test,scenario}.ts', {
    cwd: projectFolder,
    exclude: ['node_modules', 'data'],
  })
    .filter((file) => filters.length === 0 || filters.some((filter) => file.includes(filter)))
    .toSorted();
}
