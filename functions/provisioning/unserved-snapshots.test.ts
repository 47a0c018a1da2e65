import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'node:test';

import type { VersionSpec } from '../environments/version-spec.ts';
import { createTestFunctions, type TestFunctions } from '../testing/test-functions.ts';
import { createTestHomes, type TestHomes } from '../testing/test-homes.ts';
import { prepareSnapshotsLater } from './provision.ts';

describe('the snapshot of a version', () => {
  let homes: TestHomes;
  let functions: TestFunctions;
  beforeEach(async () => {
    homes = createTestHomes();
    functions = await createTestFunctions({ homes });
  });
  afterEach(() => functions.close());

  async function publish(FunctionName: string): Promise<VersionSpec> {
    const SnapStart = { ApplyOn: 'PublishedVersions' };
    await functions.create(FunctionName, { Runtime: 'python3.13', SnapStart });
    await functions.call('PublishVersion', { FunctionName });
    await functions.untilProvisioned();
    const spec = functions.environments.prewarmed.at(-1);
    assert.equal(spec?.functionName, FunctionName);
    return spec;
  }

  async function remove(FunctionName: string): Promise<void> {
    assert.equal((await functions.call('DeleteFunction', { FunctionName })).status, 204);
  }

  /** What is prepared when something happens just before each start reaches the pool. */
  async function prepared(before: (name: string) => Promise<void>): Promise<string[]> {
    const { environments } = functions;
    const at = environments.prewarmed.length;
    prepareSnapshotsLater({
      ...functions.ports,
      environments: {
        ...environments,
        async prewarm(spec) {
          await before(spec.functionName);
          return environments.prewarm(spec);
        },
      },
    });
    await functions.untilProvisioned();
    return environments.prewarmed.slice(at).map(({ functionName }) => functionName);
  }

  it('is not prepared once the version is deleted, or has its home on another server', async () => {
    for (const name of ['moved', 'deleted', 'newest']) await publish(name);
    const names = await prepared(async () => {
      await remove('deleted');
      homes.own('newest');
    });
    assert.deepEqual(names, ['newest']);
  });

  for (const [how, leave] of [
    ['is deleted', () => remove('left')],
    ['has its home on another server', async () => homes.own()],
  ] as const) {
    it(`is not kept where the version ${how} just before the start`, async () => {
      const spec = await publish('left');
      assert.deepEqual(await prepared(leave), ['left']);
      assert.deepEqual(functions.environments.drained.at(-1), {
        versionId: spec.versionId,
        keep: undefined,
      });
      assert.deepEqual([...functions.environments.snapshotVersionIds()], []);
    });
  }

  it('is closed by the next sweep when an invocation came just after the deletion', async () => {
    const spec = await publish('invoked');
    const stays = await publish('stays');
    await remove('invoked');
    await functions.environments.runEvent(spec, {
      requestId: 'late',
      functionArn: 'arn:aws:lambda:us-east-1:123456789012:function:invoked:1',
      traceHeader: 'Root=1-0-0',
      payload: Buffer.from('{}'),
    });
    const kept = (): number[] => [...functions.environments.snapshotVersionIds()];
    assert.deepEqual(new Set(kept()), new Set([spec.versionId, stays.versionId]));
    await functions.inactivity.sweep();
    assert.deepEqual(kept(), [stays.versionId]);
  });
});
