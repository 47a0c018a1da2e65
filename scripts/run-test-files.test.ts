import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';

import { projectFolder } from './test-parts.ts';

/** The reports of a process that runs a file of this content. */
async function reportsOf(content: string, ...options: readonly string[]): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'hob-test-files-'));
  const file = join(folder, 'a.test.mjs');
  await writeFile(file, content);
  const runner = join(projectFolder, 'scripts/run-test-files.ts');
  const child = spawn(process.execPath, [...options, runner, file], {
    stdio: ['ignore', 'ignore', 'ignore', 'pipe'],
  });
  const reports = child.stdio[3];
  assert.ok(reports instanceof Readable);
  const lines = await text(reports);
  await rm(folder, { recursive: true });
  return lines;
}

const asynchronousErrors = `
  import { once } from 'node:events';
  import { describe, getTestContext, it } from 'node:test';
  import { promisify } from 'node:util';
  const turn = promisify(setImmediate);
  const ended = Promise.withResolvers();
  async function failAfter(something) {
    await something;
    throw new Error('of a promise');
  }

  describe('a suite', () => {
    it('rejects what nobody awaits', async () => {
      await turn();
      void failAfter(turn());
      await once(process, 'unhandledRejection');
    });
    it('throws in a callback', async () => {
      await turn();
      setImmediate(() => { throw new Error('of a callback'); });
      await once(process, 'uncaughtException');
    });
    it('knows itself', async () => {
      await turn();
      if (getTestContext().name !== 'knows itself') throw new Error('of another');
    });
    it('leaves something behind', async () => {
      await turn();
      void failAfter(ended.promise);
    });
    it('is another', async () => {
      ended.resolve();
      await once(process, 'unhandledRejection');
    });
  });
`;

test('an error that nobody awaits is of the test that began it', async () => {
  const reports = await reportsOf(asynchronousErrors);
  assert.match(reports, /"failed".*"rejects what nobody awaits".*of a promise/);
  assert.match(reports, /"failed".*"throws in a callback".*of a callback/);
  assert.match(reports, /"strayError".*leaves something behind.*of a promise/);
  assert.match(reports, /"counts":.*"tests":5,"failed":2,"passed":3/);
});

test('options of Node choose the tests', async () => {
  const reports = await reportsOf(asynchronousErrors, '--test-name-pattern=knows');
  assert.match(reports, /"counts":.*"tests":1,"failed":0,"passed":1/);
});
