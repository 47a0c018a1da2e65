import assert from 'node:assert/strict';
import { once } from 'node:events';
import { PassThrough, type Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { mock, suite, test } from 'node:test';

import { type Child, type ChildEnd, startChild } from '#platform/child-process.ts';

import { streamChild } from './child-stream.ts';

/** A child that has printed this, and ends with a status. */
async function ended(status: number, printed: string, errors: string): Promise<string> {
  const end = Promise.withResolvers<ChildEnd>();
  const child = {
    pid: undefined,
    stdin: new PassThrough(),
    stdout: new PassThrough(),
    stderr: new PassThrough(),
    socket: undefined,
    ended: end.promise,
    kill: () => false,
  } satisfies Child;
  const text = buffer(streamChild(child)).then(String);
  child.stdout.end(printed);
  child.stderr.end(errors);
  child.stderr.once('end', () => end.resolve({ status, signal: undefined, startError: undefined }));
  return text;
}

const exceeded = { name: 'GitError', kind: 'limit', message: 'git exceeded its memory limit.' };

suite('the output of a git that serves a client', () => {
  test('fails when git has no memory, before its first byte and after', async () => {
    const malloc = 'fatal: Out of memory, malloc failed (tried to allocate 4096 bytes)\n';
    await assert.rejects(ended(128, '', malloc), exceeded);
    await assert.rejects(ended(128, '0008NAK\n', malloc), exceeded);
    const thread = 'fatal: unable to create thread: Resource temporarily unavailable\n';
    await assert.rejects(ended(128, '', thread), exceeded);
  });

  test('ends in order when git has reported an error to the client', async () => {
    const report = '002fERR upload-pack: not our ref';
    assert.equal(await ended(128, report, 'fatal: git upload-pack: not our ref\n'), report);
    assert.equal(await ended(0, 'pack', 'warning: out of memory soon\n'), 'pack');
  });

  test('lets a git end whose client leaves without reading it', async () => {
    const child = startChild({ ...endless, directory: '/' });
    const output = streamChild(child);
    await untilFull(output);
    output.destroy();
    assert.equal((await child.ended).signal, 'SIGKILL');
  });

  test('ends a git whose client does not read for ten minutes', async () => {
    mock.timers.enable({ apis: ['setTimeout'] });
    try {
      const child = startChild({ ...endless, directory: '/' });
      const output = streamChild(child);
      const error = once(output, 'error');
      await untilFull(output);
      mock.timers.tick(600_000);
      assert.equal((await child.ended).signal, 'SIGKILL');
      const [{ kind, message }] = await error;
      assert.deepEqual(
        { kind, message },
        { kind: 'limit', message: 'git sent nothing for 600 seconds.' },
      );
    } finally {
      mock.timers.reset();
    }
  });
});

/** Prints until its output is full. */
const endless = { command: '/usr/bin/yes', arguments: [], environment: {} };

/** Until no more bytes arrive. */
async function untilFull(output: Readable): Promise<void> {
  for (let before = -1; output.readableLength === 0 || output.readableLength > before;) {
    before = output.readableLength;
    await new Promise((resolve) => setImmediate(resolve));
  }
}
