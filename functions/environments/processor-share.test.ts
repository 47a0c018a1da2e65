import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';

import { startRealEnvironments, type RealEnvironments } from './testing/real-environments.ts';

const provider = 'arn:aws:lambda:us-east-1:123456789012:capacity-provider:cp';

/** Answers how long the same work took. */
const busy = `
exports.handler = async () => {
  const begun = performance.now();
  for (const before = process.cpuUsage().user; process.cpuUsage().user - before < 40_000;);
  return performance.now() - begun;
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
    const { strength, by } = environments.isolation.enforcement.cpu;
    if (strength !== 'full') return context.skip(by);
    const took = async (ExecutionEnvironmentMemoryGiBPerVCpu: number): Promise<number> => {
      const subject = await environments.subject(
        { 'index.js': busy },
        {
          MemorySize: 512,
          Timeout: 30,
          CapacityProviderConfig: {
            LambdaManagedInstancesCapacityProviderConfig: {
              CapacityProviderArn: provider,
              ExecutionEnvironmentMemoryGiBPerVCpu,
            },
          },
        },
      );
      return environments.invoke(subject);
    };
    const [little, much] = [await took(8), await took(2)];
    // A 16th of a processor against a quarter of one.
    assert.ok(little > much * 2, `${little} ms at 8 GiB a processor, ${much} ms at 2 GiB`);
  });
});
