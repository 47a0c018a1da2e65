/**
 * The reporter of one test process: a JSON line for each result, on file descriptor 3, for the runner that joins those of
 * several processes. Standard output is for what the tests print.
 */
import { writeSync } from 'node:fs';
import type { TestEvent } from 'node:test/reporters';
import { inspect } from 'node:util';

export type TestReport =
  /** A top-level suite, or a test outside of one, has ended. */
  | {
      readonly kind: 'ended';
      readonly file: string;
      readonly tests: number;
      readonly passed: boolean;
      readonly milliseconds: number;
    }
  | {
      readonly kind: 'failed';
      readonly file: string;
      readonly line: number;
      readonly name: string;
      readonly error: string;
    }
  /** An error that Node could not assign to a running test: it makes the process end badly. */
  | { readonly kind: 'strayError'; readonly message: string }
  | { readonly kind: 'counts'; readonly counts: TestCounts };

export interface TestCounts {
  tests: number;
  passed: number;
  failed: number;
  cancelled: number;
  skipped: number;
  todo: number;
}

/** JSON leaves the two separators of Unicode as they are, and a reader of lines ends a line at them. */
export function asLine(entry: object): string {
  return JSON.stringify(entry).replaceAll(
    /[\u2028\u2029]/g,
    (separator) => `\\u${separator.charCodeAt(0).toString(16)}`,
  );
}

export async function report(source: AsyncIterable<TestEvent>): Promise<void> {
  let tests = 0;
  for await (const event of source) {
    if (isTest(event)) tests += 1;
    for (const entry of reportsOf(event, tests)) writeSync(3, `${asLine(entry)}\n`);
    if (isTopLevel(event)) tests = 0;
  }
}

function isTest({ type, data }: TestEvent): boolean {
  return (type === 'test:pass' || type === 'test:fail') && data.details.type !== 'suite';
}

function isTopLevel({ type, data }: TestEvent): boolean {
  return (type === 'test:pass' || type === 'test:fail') && data.nesting === 0;
}

/** How Node begins what it says of activity after the end of a test (lib/internal/test_runner/harness.js); its other diagnostics are counts. */
const strayError = /^(?:Error|Warning): /;

function reportsOf(event: TestEvent, tests: number): TestReport[] {
  if (event.type === 'test:summary') {
    const { counts } = event.data;
    const failed = counts.tests - counts.passed - counts.cancelled - counts.skipped - counts.todo;
    return [{ kind: 'counts', counts: { ...counts, failed } }];
  }
  if (event.type === 'test:diagnostic') {
    const { message } = event.data;
    return strayError.test(message) ? [{ kind: 'strayError', message }] : [];
  }
  if (event.type !== 'test:pass' && event.type !== 'test:fail') return [];
  const { name, file = '', line = 0, details } = event.data;
  const reports: TestReport[] = [];
  if (event.type === 'test:fail' && !isOfSubtests(event.data.details.error)) {
    const error = inspect(event.data.details.error.cause ?? event.data.details.error);
    reports.push({ kind: 'failed', file, line, name, error });
  }
  if (isTopLevel(event)) {
    const passed = event.type === 'test:pass';
    reports.push({ kind: 'ended', file, tests, passed, milliseconds: details.duration_ms });
  }
  return reports;
}

/** A suite fails with the tests in it, which have been reported. */
function isOfSubtests(error: Error): boolean {
  return 'failureType' in error && error.failureType === 'subtestsFailed';
}
