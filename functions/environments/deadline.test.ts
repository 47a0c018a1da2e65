import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';

import { startRealEnvironments, type RealEnvironments } from './testing/real-environments.ts';

const handler = `
const loadedAt = Date.now();
exports.handler = async (event, context) => {
  // In this order: a pause between the two only makes the sum larger.
  const left = context.getRemainingTimeInMillis();
  return { loadedAt, deadline: left + Date.now() };
};`;

describe('the deadline of a program', () => {
  let environments: RealEnvironments;
  before(async () => {
    environments = await startRealEnvironments();
  });
  after(() => environments.close());

  it('is a whole timeout from when it gets the event, however long it took to start', async () => {
    const spec = await environments.spec({ 'index.js': handler }, { Timeout: 20 });
    const { loadedAt, deadline } = await environments.invoke(spec);
    assert.ok(deadline >= loadedAt + 20_000, `${loadedAt + 20_000 - deadline} ms too early`);
  });
});
