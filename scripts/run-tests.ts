import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { globSync } from 'node:fs';
import { availableParallelism, totalmem } from 'node:os';
import { join, relative } from 'node:path';
import { createInterface } from 'node:readline';
import { Readable } from 'node:stream';

import { keepsToDisk } from './test-kinds.ts';
import { lastTimes, partsOf, projectFolder, saveTimes } from './test-parts.ts';
import { processesOf, runInProcesses } from './test-processes.ts';
import type { TestCounts, TestReport } from './test-reporter.ts';

export interface TestOptions {
  readonly environment?: Readonly<Record<string, string>>;
  /** Runs files that failed once more, alone; see {@link mostRepeatedFiles}. */
  readonly repeatFailed?: boolean;
  /** Which files are run where no argument names any. */
  readonly usual?: (file: string) => boolean;
}

/** More failed files than these are a broken change, not unstable tests: none of them runs again. */
const mostRepeatedFiles = 2;

/**
 * Runs the test files whose paths contain one of the arguments, and returns the exit status. A process runs many files together,
 * which is twenty times faster than a process a file; only scenarios have one each. Arguments that begin
 * with a dash go to Node.
 */
export async function runTests(
  args: readonly string[],
  {
    environment = {},
    usual = () => true,
    repeatFailed = process.env['HOB_TEST_REPEAT_FAILED'] === '1',
  }: TestOptions = {},
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
  const processes = processesOf(processors, totalmem());
  const engine = environment['DATABASE_URL'] === undefined ? 'sqlite' : 'postgres';
  const parts = partsOf(files, lastTimes(engine), { processors, processes });
  const running = new Set<ChildProcess>();
  const stop = new AbortController();
  const { TMPDIR: _, ...onDisk } = environment;
  // A terminal sends its signals to all; `kill` names only this process.
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => {
      stop.abort();
      for (const child of running) child.kill('SIGTERM');
    });
  }
  const runPart = async (into: TestRun, part: readonly string[]): Promise<void> => {
    const child = startPart(part, options, part.some(keepsToDisk) ? onDisk : environment);
    running.add(child);
    await into.follow(child, part);
    running.delete(child);
  };
  await runInProcesses(parts, processes, async (part) => {
    if (!stop.signal.aborted) await runPart(run, part);
  });
  if (repeatFailed && run.failedFiles.length <= mostRepeatedFiles) {
    for (const file of run.failedFiles) {
      if (stop.signal.aborted) break;
      const second = new TestRun(1);
      await runPart(second, [file]);
      if (second.passed) run.countAsUnstable(file);
    }
  }
  run.printSummary(performance.now() - started);
  saveTimes(engine, run.times);
  return !stop.signal.aborted && run.passed ? 0 : 1;
}

function startPart(
  files: readonly string[],
  options: readonly string[],
  environment: Readonly<Record<string, string>>,
): ChildProcess {
  return spawn(
    process.execPath,
    [...options, join(import.meta.dirname, 'run-test-files.ts'), ...files],
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
  /** How many tests of each file have failed. */
  readonly #failedFiles = new Map<string, number>();
  readonly #unstableFiles: string[] = [];
  /** A process ended badly, and no failed test says why. No file can be repeated to excuse it. */
  #endedBadly = false;
  readonly #fileCount: number;

  readonly #write: (text: string) => void;

  constructor(fileCount: number, write = (text: string): void => void process.stdout.write(text)) {
    this.#fileCount = fileCount;
    this.#write = write;
  }

  get failedFiles(): readonly string[] {
    return [...this.#failedFiles.keys()];
  }

  get passed(): boolean {
    return !this.#endedBadly && this.#failedFiles.size === 0;
  }

  /** Takes back the failures of a file that passed when it ran alone; the summary names it. */
  countAsUnstable(file: string): void {
    const failures = this.#failedFiles.get(file) ?? 0;
    const failed = Math.min(failures, this.#counts.failed);
    // Node counts tests that took too long, and those that a failed hook prevented, as cancelled.
    const cancelled = Math.min(failures - failed, this.#counts.cancelled);
    this.#counts.failed -= failed;
    this.#counts.cancelled -= cancelled;
    this.#counts.passed += failed + cancelled;
    this.#failedFiles.delete(file);
    this.#unstableFiles.push(file);
  }

  /**
   * Reads the reports of a part, of these files, and returns its exit status; a part that ends without its counts has failed, and so has one that
   * does not end after them, which is killed.
   */
  async follow(
    child: ChildProcess,
    part: readonly string[],
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
    let failed = false;
    const names: string[] = [];
    const strayErrors: string[] = [];
    let file: FileResult = { name: '', tests: 0, milliseconds: 0, passed: true };
    for await (const line of createInterface({ input: reports })) {
      const report: TestReport = JSON.parse(line);
      killAfter(silent, silence);
      if (report.kind === 'counts') {
        counted = true;
        killAfter(end, 'did not end after its last test: something is still open');
        for (const name of countNames) this.#counts[name] += report.counts[name];
      } else if (report.kind === 'failed') {
        failed = true;
        this.#printFailure(report);
      } else if (report.kind === 'strayError') {
        strayErrors.push(report.message);
      } else {
        const name = relative(projectFolder, report.file);
        if (name !== file.name) {
          this.#printFile(file);
          names.push(name);
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
    const by = signal ?? `status ${status}`;
    if (!counted) {
      const missing = part.filter((name) => !names.includes(name));
      this.#countBadEnd(`A test process ended early, by ${by}.`, strayErrors, names, missing);
      return 1;
    }
    if (status !== 0 && (!failed || strayErrors.length > 0)) {
      this.#countBadEnd(`A test process ended by ${by} without a failed test.`, strayErrors, names);
    }
    return typeof status === 'number' ? status : 1;
  }

  #countBadEnd(
    what: string,
    strayErrors: readonly string[],
    files: readonly string[],
    missing: readonly string[] = [],
  ): void {
    this.#endedBadly = true;
    this.#counts.failed += 1;
    const failure = [
      `✖ ${what}`,
      ...strayErrors,
      ...(files.length > 0 ? [`It ran ${files.join(', ')}.`] : []),
      ...(missing.length > 0 ? [`Nothing was reported of ${missing.join(', ')}.`] : []),
    ].join('\n  ');
    this.#failures.push(failure);
    this.#print(failure);
  }

  #printFile({ name, tests, milliseconds, passed }: FileResult): void {
    if (name === '') return;
    this.times[name] = Math.round(milliseconds);
    const mark = passed ? '✔' : '✖';
    this.#print(`${mark} ${name} (${tests} tests, ${(milliseconds / 1000).toFixed(1)} s)`);
  }

  #printFailure({ file, line, name, error }: Extract<TestReport, { kind: 'failed' }>): void {
    const path = relative(projectFolder, file);
    this.#failedFiles.set(path, (this.#failedFiles.get(path) ?? 0) + 1);
    const failure = `✖ ${name}\n  ${path}:${line}\n  ${error.replaceAll('\n', '\n  ')}\n`;
    this.#failures.push(failure);
    this.#print(failure);
  }

  printSummary(milliseconds: number): void {
    if (this.#failures.length > 0) this.#print(`\nFailed:\n\n${this.#failures.join('\n')}`);
    for (const file of this.#unstableFiles) {
      this.#print(`✖ unstable: ${file} failed, and passed when it ran again alone. Mend it.`);
    }
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

const countNames = ['tests', 'passed', 'failed', 'cancelled', 'skipped', 'todo'] as const;

export function testFiles(filters: readonly string[]): string[] {
  return globSync('**/*.{test,scenario}.ts', {
    cwd: projectFolder,
    exclude: ['**/node_modules', 'data'],
  })
    .filter((file) => filters.length === 0 || filters.some((filter) => file.includes(filter)))
    .toSorted();
}
