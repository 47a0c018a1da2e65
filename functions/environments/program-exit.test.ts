import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';

import { startRealEnvironments, type RealEnvironments } from './testing/real-environments.ts';

const leaves = `
let count = 0;
exports.handler = async () => {
  setImmediate(() => process.kill(process.pid, 'SIGKILL'));
  return ++count;
};`;

describe('a program that ends after its answer', () => {
  let environments: RealEnvironments;
  before(async () => {
    environments = await startRealEnvironments();
  });
  after(() => environments.close());

  it('starts again for the next event, which comes before its end is known', async () => {
    const spec = await environments.spec({ 'index.js': leaves });
    for (let event = 0; event < 10; event += 1) {
      assert.equal(await environments.invoke(spec), 1);
    }
    assert.equal(environments.created(), 1);
  });
});
