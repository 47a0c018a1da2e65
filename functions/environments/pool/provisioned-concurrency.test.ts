import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';

import { startRealEnvironments, type RealEnvironments } from '../testing/real-environments.ts';

const named = `
const name = require('node:crypto').randomUUID();
exports.handler = async () => {
  await new Promise((resolve) => setTimeout(resolve, 20));
  return name;
};`;

describe('provisioned environments', () => {
  let environments: RealEnvironments;
  before(async () => {
    environments = await startRealEnvironments({ environmentsMax: 3 });
  });
  after(() => environments.close());

  it('are started once, and free no capacity for others', async () => {
    const retained = await environments.spec({ 'index.js': named });
    assert.equal(await environments.pool.ensureProvisioned(retained, 2), undefined);
    assert.equal(environments.created(), 2);
    assert.equal(await environments.pool.ensureProvisioned(retained, 2), undefined);
    assert.equal(environments.created(), 2);
    for (const other of [1, 2]) {
      const files = { 'index.js': `${named} // ${other}` };
      await environments.invoke(await environments.spec(files));
    }
    assert.equal(environments.created(), 4);
    const names = await Promise.all([environments.invoke(retained), environments.invoke(retained)]);
    assert.equal(new Set(names).size, 2);
    assert.equal(environments.created(), 4);
  });

  it('report the initialization type to their functions, and to no others', async () => {
    const files = {
      'index.js':
        'exports.handler = async () => process.env.AWS_LAMBDA_INITIALIZATION_TYPE; // reported',
    };
    const retained = await environments.spec(files);
    assert.equal(await environments.pool.ensureProvisioned(retained, 1), undefined);
    assert.equal(await environments.invoke(retained), 'provisioned-concurrency');
    await environments.pool.ensureProvisioned(retained, 0);
    assert.equal(await environments.invoke(await environments.spec(files)), 'on-demand');
  });

  it('are none when one does not start', async () => {
    const broken = await environments.spec({ 'index.js': 'throw new Error("no")' });
    const failure = await environments.pool.ensureProvisioned(broken, 2);
    assert.equal(failure?.code, 'FunctionError.RuntimeInitError');
  });
});
