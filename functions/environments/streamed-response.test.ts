/** A streamed response is part of the invocation until its end. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';

import { startRealEnvironments, type RealEnvironments } from './testing/real-environments.ts';

const streams = (rest: string): string => `
exports.handler = awslambda.streamifyResponse(async (event, response) => {
  response.write('hello');
  ${rest}
});`;

/** Endless; the timer keeps the program alive. */
const open = streams('await new Promise(() => setInterval(() => {}, 1000));');
/** More than all buffers on the way to a reader hold. */
const large = streams(`
  const piece = Buffer.alloc(1024 * 1024, 97);
  for (let sent = 0; sent < 100; sent += 1) {
    if (!response.write(piece)) await new Promise((resolve) => response.once('drain', resolve));
  }
  response.end();`);

describe(
  'a function that streams its response longer than its timeout',
  { concurrency: true },
  () => {
    let environments: RealEnvironments;
    before(async () => {
      environments = await startRealEnvironments();
    });
    after(() => environments.close());

    async function invoke(code: string) {
      const spec = await environments.spec({ 'index.js': code }, { Timeout: 5 });
      const invoked = await environments.pool.runEvent(spec, {
        requestId: 'one',
        functionArn: 'arn:aws:lambda:us-east-1:123456789012:function:f',
        traceHeader: 'Root=1-0-0',
        payload: Buffer.from('{}'),
      });
      assert.ok(invoked.kind === 'answered');
      const { outcome, logTail } = invoked;
      assert.ok(outcome.kind === 'stream');
      return { ...outcome, logTail };
    }

    it('is ended, and the response with it', { timeout: 60_000 }, async () => {
      const { body, trailer, logTail } = await invoke(open);
      const received: Uint8Array[] = [];
      for await (const piece of body) received.push(piece);
      assert.equal(Buffer.concat(received).toString(), 'hello');
      const error = await trailer;
      assert.equal(error?.type, 'Sandbox.Timedout');
      assert.match(Buffer.from(error.payload).toString(), /Task timed out after 5\.00 seconds/);
      assert.match((await logTail).bytes().toString(), /Status: timeout/);
    });

    it('is ended although nobody reads the response', { timeout: 60_000 }, async () => {
      const { trailer, logTail } = await invoke(large);
      assert.equal((await trailer)?.type, 'Sandbox.Timedout');
      assert.match((await logTail).bytes().toString(), /Status: timeout/);
    });
  },
);
