/**
 * One test process: runs the test files that its arguments name, one after the other, and reports on file descriptor 3.
 *
 * Node assigns errors and suites to tests by an asynchronous hook that runs for every promise, and again when it is collected
 * (lib/internal/test_runner/harness.js): a fifth of the processor time of tests that await as much as a driver of a database. The runner
 * gets an asynchronous context here instead of that hook, which costs nothing and says the same: in which test something was started.
 */
import hooks from 'node:async_hooks';
import { resolve } from 'node:path';

import { report } from './test-reporter.ts';

const { AsyncLocalStorage, AsyncResource, executionAsyncId } = hooks;

/** The asynchronous id of the test under way. */
const current = new AsyncLocalStorage<number>();
let init: hooks.HookCallbacks['init'];

/** What the tests and suites of Node are. */
class TestResource extends AsyncResource {
  constructor(type: string, options?: hooks.AsyncResourceOptions) {
    super(type, options);
    init?.(this.asyncId(), type, this.triggerAsyncId(), this);
  }

  override runInAsyncScope<This, Result>(
    work: (this: This, ...args: unknown[]) => Result,
    self?: This,
    ...args: unknown[]
  ): Result {
    // Within: the scope brings the context back in which the resource was made.
    return super.runInAsyncScope(() =>
      current.run(this.asyncId(), () => Reflect.apply(work, self, args)),
    );
  }
}

const replaced = {
  createHook(callbacks: hooks.HookCallbacks): { enable(): void; disable(): void } {
    init = (...made) => callbacks.init?.(...made);
    return { enable: () => {}, disable: () => {} };
  },
  executionAsyncId: () => current.getStore() ?? executionAsyncId(),
  AsyncResource: TestResource,
};
const { createHook } = hooks;
Object.assign(hooks, replaced);
const { run } = await import('node:test');
Object.assign(hooks, { createHook, executionAsyncId, AsyncResource });

const files = process.argv.slice(2).map((file) => resolve(file));
const events = run({ files, isolation: 'none', timeout: 240_000 });
events.on('test:summary', ({ success }) => {
  if (!success) process.exitCode = 1;
});
await report(events);
