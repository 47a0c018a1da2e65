import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';

import { startRealEnvironments, type RealEnvironments } from './testing/real-environments.ts';

const provider = 'arn:aws:lambda:us-east-1:123456789012:capacity-provider:cp';

/** Answers how long 40 ms of work took, once the start and what it may take of the processor are over. */
const busy = `
exports.handler = async () => {
  await new Promise((resolve) => setTimeout(resolve, 250));
  const started = performance.now();
  for (const before = process.cpuUsage().user; process.cpuUsage().user - before < 40_000;);
  return performance.now() - started;
};`;

describe('the share of the processor', () => {
  let environments: RealEnvironments;
  before(async () => {
    environments = await startRealEnvironments({
      capacityProviders: new Map([[provider, { environmentsMax: 4 }]]),
    });
  });
  after(() => environments.close());

  it('is what the function’s memory comes to at its ratio', async (context) => {
    const { strength, by } = environments.isolation.enforced.cpu;
    if (strength !== 'full') return context.skip(by);
    const spec = await environments.spec(
      { 'index.js': busy },
      {
        MemorySize: 512,
        Timeout: 30,
        CapacityProviderConfig: {
          LambdaManagedInstancesCapacityProviderConfig: {
            CapacityProviderArn: provider,
            ExecutionEnvironmentMemoryGiBPerVCpu: 8,
          },
        },
      },
    );
    const took = await environments.invoke(spec);
    // A 16th of a processor makes 640 ms of it; without the ratio it would be 140. A busy host only adds to that.
    assert.ok(Number(took) > 450, `${String(took)} ms at 8 GiB a processor`);
  });
});
