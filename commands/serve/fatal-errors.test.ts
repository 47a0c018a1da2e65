import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { startChild } from '#platform/child-process.ts';

const modules = {
  fatal: import.meta.resolve('./fatal-errors.ts'),
  log: import.meta.resolve('#platform/log.ts'),
};

describe('an error that nothing handles', () => {
  for (const [origin, throwing] of [
    ['uncaughtException', "setImmediate(() => { throw new Error('unforeseen'); });"],
    ['unhandledRejection', "Promise.reject(new Error('unforeseen'));"],
  ] as const) {
    it(`is logged with its stack, and ends the process (${origin})`, async () => {
      const script = `
        const { logFatalErrors } = await import(${JSON.stringify(modules.fatal)});
        const { createLog } = await import(${JSON.stringify(modules.log)});
        logFatalErrors(createLog('error'));
        ${throwing}
        setTimeout(() => console.log('still here'), 10_000);`;
      const child = startChild({
        command: process.execPath,
        arguments: ['--input-type=module', '--eval', script],
        environment: {},
        directory: '/',
      });
      let errors = '';
      child.stdout.resume();
      child.stderr.setEncoding('utf8').on('data', (text: string) => (errors += text));
      assert.equal((await child.ended).status, 1);
      const line = JSON.parse(errors.split('\n').find((each) => each.startsWith('{')) ?? '{}');
      assert.deepEqual(
        [line.level, line.origin, line.err.message],
        ['fatal', origin, 'unforeseen'],
      );
      assert.match(line.err.stack, /^Error: unforeseen\n {4}at /);
    });
  }
});
