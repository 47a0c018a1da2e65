import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';

import { startRealEnvironments, type RealEnvironments } from '../testing/real-environments.ts';

const named = `
const name = require('node:crypto').randomUUID();
exports.handler = async () => {
  await new Promise((resolve) => setTimeout(resolve, 20));
  return name;
};`;

describe('environments that are kept ready', () => {
  let environments: RealEnvironments;
  before(async () => {
    environments = await startRealEnvironments({ environmentsMax: 3 });
  });
  after(() => environments.close());

  it('are started once, and make no room for others', async () => {
    const kept = await environments.spec({ 'index.js': named });
    assert.equal(await environments.pool.ensureProvisioned(kept, 2), undefined);
    assert.equal(environments.made(), 2);
    assert.equal(await environments.pool.ensureProvisioned(kept, 2), undefined);
    assert.equal(environments.made(), 2);
    for (const other of [1, 2]) {
      const files = { 'index.js': `${named} // ${other}` };
      await environments.invoke(await environments.spec(files));
    }
    assert.equal(environments.made(), 4);
    const names = await Promise.all([environments.invoke(kept), environments.invoke(kept)]);
    assert.equal(new Set(names).size, 2);
    assert.equal(environments.made(), 4);
  });

  it('tell their functions that they are, and the others that they are not', async () => {
    const files = {
      'index.js':
        'exports.handler = async () => process.env.AWS_LAMBDA_INITIALIZATION_TYPE; // told',
    };
    const kept = await environments.spec(files);
    assert.equal(await environments.pool.ensureProvisioned(kept, 1), undefined);
    assert.equal(await environments.invoke(kept), 'provisioned-concurrency');
    await environments.pool.ensureProvisioned(kept, 0);
    assert.equal(await environments.invoke(await environments.spec(files)), 'on-demand');
  });

  it('are none when one does not start', async () => {
    const broken = await environments.spec({ 'index.js': 'throw new Error("no")' });
    const failure = await environments.pool.ensureProvisioned(broken, 2);
    assert.equal(failure?.code, 'FunctionError.RuntimeInitError');
  });
});
