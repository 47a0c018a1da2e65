/** A function that takes more memory than it has is killed, and its log says that it was that. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';

import {
  startRealEnvironments,
  type Files,
  type RealEnvironments,
} from './testing/real-environments.ts';

const grows: Readonly<Record<string, Files>> = {
  'nodejs24.x': {
    'index.js': `
const held = [];
exports.handler = async () => {
  // Outside of V8's own heap, whose limit would end the process in another way.
  for (;;) held.push(Buffer.alloc(8 * 1024 * 1024, 1));
};`,
  },
  'python3.13': {
    'index.py': `
held = []
def handler(event, context):
    while True:
        held.append(bytearray(b"1" * 8 * 1024 * 1024))
`,
  },
};

describe('a function that takes more memory than it has', () => {
  let environments: RealEnvironments;
  before(async () => {
    environments = await startRealEnvironments();
  });
  after(() => environments.close());

  for (const [Runtime, files] of Object.entries(grows)) {
    it(`is killed, and the report says why (${Runtime})`, async () => {
      const spec = await environments.spec(files, { Runtime, MemorySize: 192, Timeout: 60 });
      const { errorType, errorMessage } = await environments.invoke(spec);
      assert.equal(errorType, 'Runtime.ExitError');
      assert.match(
        errorMessage,
        /^RequestId: \S+ Error: Runtime exited with error: signal: killed$/,
      );
      const report = environments.lines.findLast((line) => line.startsWith('REPORT'));
      assert.match(report ?? '', /\tMemory Size: 192 MB\tMax Memory Used: 192 MB\t/);
      assert.match(report ?? '', /\tStatus: error\tError Type: Runtime\.OutOfMemory$/);
    });
  }

  it('is no reason to say so of one that another process killed', async () => {
    const spec = await environments.spec({
      'index.js': `exports.handler = async () => process.kill(process.pid, 'SIGKILL');`,
    });
    const { errorMessage } = await environments.invoke(spec);
    assert.match(errorMessage, /signal: killed$/);
    const report = environments.lines.findLast((line) => line.startsWith('REPORT'));
    assert.match(report ?? '', /\tStatus: error\tError Type: Runtime\.ExitError$/);
    assert.doesNotMatch(report ?? '', /Max Memory Used: (0|1769) MB/);
  });
});
