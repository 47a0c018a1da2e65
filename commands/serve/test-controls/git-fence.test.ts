import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { describe, it } from 'node:test';

import { GitError } from '#forge/git/git-error.ts';
import type { Git, GitRepository } from '#forge/git/git.ts';
import type { ReceivePack } from '#forge/git/received-push.ts';
import type { RefMove } from '#forge/git/ref-update.ts';

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

  it('lets a push wait during a pause, and counts it until its refs have moved', async () => {
    const moved = Promise.withResolvers<readonly RefMove[]>();
    const started: string[] = [];
    let acknowledged = false;
    const { git } = slowGit();
    const received = Readable.from(['report']);
    const pushed: Pick<GitRepository, 'receivePack'> = {
      receivePack() {
        started.push('push');
        const acknowledge = (): void => {
          acknowledged = true;
        };
        return { output: received, completed: moved.promise, acknowledge };
      },
    };
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- nothing else is asked for
    const repository = (): GitRepository => pushed as GitRepository;
    const fence = new GitFence({ ...git, repository }, 60_000);
    const options = { protocol: undefined, refused: new Map(), packBytesMax: 1 };
    const begin = (): ReceivePack =>
      fence.git.repository(1).receivePack(Readable.from([]), options);
    let push: ReceivePack | undefined;
    await fence.pausedDuring(async () => {
      push = begin();
      await Promise.resolve();
      assert.equal(started.length, 0);
    });
    assert.ok(push);
    while (started.length === 0) await Promise.resolve();
    let isClosed = false;
    const closing = fence.close().then(() => {
      isClosed = true;
    });
    push.acknowledge();
    assert.equal(await text(push.output), 'report');
    assert.deepEqual([acknowledged, isClosed], [true, false]);
    moved.resolve([]);
    assert.deepEqual(await push.completed, []);
    await closing;
    const late = begin();
    await assert.rejects(late.completed, { name: 'GitError' });
    await assert.rejects(text(late.output));
    assert.equal(started.length, 1);
  });
});
