import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';

import { startTestForge, type TestForge } from '#forge/testing/test-forge.ts';
import { PendingWork } from '#platform/pending-work.ts';

import { ClusterGit } from './nodes/cluster-git.ts';
import { finishBehind } from './recovery.ts';
import { GitShards } from './shards/git-shards.ts';

describe('what a crash interrupted', () => {
  let forge: TestForge;
  before(async () => {
    forge = await startTestForge();
  });
  after(() => forge.close());

  it('does not hold up the stop of a server whose volume hangs', async () => {
    const reconciliation = new PendingWork();
    const begun = Promise.withResolvers<void>();
    reconciliation.add(1, () => {
      begun.resolve();
      return new Promise(() => {});
    });
    const shards = new GitShards(
      () => new ClusterGit({ socketPath: '/nonexistent/socket', begin: () => assert.fail() }),
    );
    const { log } = forge.ports;
    const left = { intents: 1, repositories: [] };
    const parts = { cluster: undefined, shards, log };
    const stop = finishBehind({ ...forge.ports, reconciliation }, left, parts, 1);
    await begun.promise;
    await stop();
    await shards.close();
  });
});
