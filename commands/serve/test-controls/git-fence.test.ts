import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { GitError } from '#forge/git/git-error.ts';
import type { Git } from '#forge/git/git.ts';

import { ControlRefusal } from './control-request.ts';
import { GitFence } from './git-fence.ts';

/** A git whose removals end when a test says so. */
function slowGit(): { git: Git; removals: PromiseWithResolvers<void>[] } {
  const removals: PromiseWithResolvers<void>[] = [];
  const remove = (): Promise<void> => {
    const removal = Promise.withResolvers<void>();
    removals.push(removal);
    return removal.promise;
  };
  const nothing = async (): Promise<void> => {};
  const repository = (): never => {
    throw new Error('not asked for');
  };
  return { git: { repository, create: nothing, fork: nothing, remove, close: nothing }, removals };
}

describe('the fence around git', () => {
  it('closes when calls under way have ended, and refuses later ones', async () => {
    const { git, removals } = slowGit();
    const fence = new GitFence(git, 60_000);
    const order: string[] = [];
    const removing = fence.git.remove(1).then(() => order.push('removed'));
    const closing = fence.close().then(() => order.push('closed'));
    const late = fence.git.remove(2);
    removals[0]?.resolve();
    await Promise.all([removing, closing]);
    assert.deepEqual(order, ['removed', 'closed']);
    await assert.rejects(
      late,
      (error) => error instanceof GitError && error.kind === 'unavailable',
    );
    assert.equal(removals.length, 1);
  });

  it('is not closed while a call does not end, and lets later ones pass then', async () => {
    const { git, removals } = slowGit();
    const fence = new GitFence(git, 1);
    const removing = fence.git.remove(1);
    await assert.rejects(
      fence.close(),
      (error) => error instanceof ControlRefusal && error.status === 409,
    );
    const later = fence.git.remove(2);
    for (const removal of removals) removal.resolve();
    await removing;
    while (removals.length < 2) await Promise.resolve();
    removals[1]?.resolve();
    await later;
  });

  it('lets calls wait during a pause', async () => {
    const { git, removals } = slowGit();
    const fence = new GitFence(git);
    let waiting: Promise<void> | undefined;
    await fence.pausedDuring(async () => {
      waiting = fence.git.remove(1);
      await Promise.resolve();
      assert.equal(removals.length, 0);
    });
    while (removals.length === 0) await Promise.resolve();
    removals[0]?.resolve();
    await waiting;
  });
});
