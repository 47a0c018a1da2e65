import assert from 'node:assert/strict';
import { connect, createServer } from 'node:net';
import { describe, it } from 'node:test';

import { ClusterGit } from './cluster-git.ts';

describe('git of a node', () => {
  const open = (): ClusterGit =>
    new ClusterGit({
      socketPath: '/nonexistent/socket',
      begin: () => assert.fail('another node has the repositories'),
      patienceMilliseconds: 1,
    });
  const call = (git: ClusterGit): Promise<void> =>
    assert.rejects(git.connection.call(1, 'listRefs', ['refs/']), { kind: 'unavailable' });

  it('is unavailable while no node has the repositories', async () => {
    const git = open();
    await call(git);
    assert.equal(git.statistics().isAvailable, false);
    await git.close();
  });

  it('is asked again as soon as the shard stays where it is', async () => {
    const git = new ClusterGit({
      socketPath: '/nonexistent/socket',
      begin: () => assert.fail('another node has the repositories'),
    });
    let dialed = 0;
    git.ask(() => {
      dialed += 1;
      return connect('/nonexistent/other');
    });
    await git.pause();
    const called = call(git);
    await new Promise(setImmediate);
    assert.equal(dialed, 0);
    const started = performance.now();
    git.resume();
    await called;
    assert.ok(dialed > 0);
    assert.ok(performance.now() - started < 2000);
    await git.close();
  });

  it('has not failed where it is released before it is ready', async () => {
    const ready = Promise.withResolvers<void>();
    const failures: unknown[] = [];
    const git = new ClusterGit({
      socketPath: '/nonexistent/socket',
      begin: () => ({
        ready: ready.promise,
        whenReady: () => ready.promise,
        statistics: () => ({ callsInProgress: 0, restarts: 0, isAvailable: false }),
        close: async () => ready.reject(new Error('It ended.')),
      }),
    });
    git.own((error) => failures.push(error));
    await git.release();
    await assert.rejects(ready.promise);
    assert.deepEqual(failures, []);
    await git.close();
  });

  it('is unavailable once the node that has them cannot be reached, until it can', async () => {
    const git = open();
    git.ask(() => connect('/nonexistent/other'));
    assert.equal(git.statistics().isAvailable, true);
    await call(git);
    assert.equal(git.statistics().isAvailable, false);

    const owner = createServer((socket) => socket.destroy()).listen(0, '127.0.0.1');
    await new Promise((resolve) => owner.once('listening', resolve));
    const address = owner.address();
    assert.ok(address instanceof Object);
    // As the next owner.
    git.ask(() => connect(address.port, '127.0.0.1'));
    await call(git);
    assert.equal(git.statistics().isAvailable, true);
    await git.close();
    await new Promise((resolve) => owner.close(resolve));
  });
});
