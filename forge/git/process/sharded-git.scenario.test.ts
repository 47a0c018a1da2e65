import assert from 'node:assert/strict';
import { join } from 'node:path';
import { describe, it } from 'node:test';

import { useTestGit } from '../testing/test-git.ts';
import { connectGit } from './git-client.ts';
import type { GitConnection } from './git-connection.ts';
import { startGitServer } from './git-server.ts';
import { closeGitState, openGitState } from './open-git-state.ts';
import { GitError } from '../git-error.ts';
import { ShardedGit } from './sharded-git.ts';

describe('git of several shards', () => {
  const test = useTestGit();

  /** A shard that refuses every call as one that the repository has left. */
  const refusing = (): ReturnType<typeof connectGit> =>
    connectGit('/nonexistent/socket', async () => {
      throw new GitError('other-shard', 'It is in another shard.');
    });

  it('looks nothing up while there is one shard', async () => {
    const { id } = await test.newRepository();
    const sharded = new ShardedGit(connectGit(test.socketPath).connection);
    sharded.setSource({
      shardOf: async () => assert.fail('It was looked up.'),
      poll: async () => assert.fail('It looked for shards.'),
    });
    assert.deepEqual(await sharded.git.repository(id).listRefs('refs/'), []);
  });

  it('remembers where a repository is, until the shard says that it has left', async () => {
    const { id } = await test.newRepository();
    const left = refusing();
    const sharded = new ShardedGit(left.connection);
    let lookups = 0;
    let shard = 1;
    sharded.setSource({
      shardOf: async () => {
        lookups += 1;
        return shard;
      },
      poll: async () => {},
    });
    sharded.add(1, connectGit(test.socketPath).connection);
    const list = (): Promise<unknown> => sharded.git.repository(id).listRefs('refs/');
    await list();
    await list();
    assert.equal(lookups, 1);
    sharded.add(2, left.connection);
    shard = 2;
    const other = new ShardedGit(left.connection);
    other.add(1, connectGit(test.socketPath).connection);
    let answers = [0, 1];
    other.setSource({ shardOf: async () => answers.shift(), poll: async () => {} });
    assert.deepEqual(await other.git.repository(id).listRefs('refs/'), [], 'repeated in shard 1');
    answers = [1, 1];
    assert.deepEqual(await other.git.repository(id).listRefs('refs/'), []);
    assert.equal(answers.length, 2, 'remembered');
  });

  it('finds repositories of shards that it did not know of', async () => {
    const { id } = await test.newRepository();
    const empty = await startEmptyGit();
    try {
      const sharded = new ShardedGit(empty.connection);
      sharded.setSource({
        shardOf: async () => 1,
        poll: async () => sharded.add(1, connectGit(test.socketPath).connection),
      });
      assert.deepEqual(await sharded.git.repository(id).listRefs('refs/'), []);
      await assert.rejects(sharded.git.repository(id + 1000).listRefs('refs/'), {
        kind: 'missing-repository',
      });
      const other = new ShardedGit(empty.connection);
      other.setSource({
        shardOf: async () => 1,
        poll: async () => other.add(1, connectGit(test.socketPath).connection),
      });
      // The removal of what is not there succeeds, so it must not be asked elsewhere.
      await other.git.remove(id);
      await assert.rejects(test.git.repository(id).listRefs('refs/'), {
        kind: 'missing-repository',
      });
    } finally {
      await empty.close();
    }
  });

  /** git of a shard without any repository. */
  async function startEmptyGit(): Promise<{
    readonly connection: GitConnection;
    readonly close: () => Promise<void>;
  }> {
    const { state } = await openGitState({
      root: join(test.folder, 'empty'),
      onNotDurable: () => {},
      report: () => {},
    });
    const socketPath = join(test.folder, 'empty.sock');
    const server = await startGitServer(state, socketPath);
    return {
      connection: connectGit(socketPath).connection,
      async close() {
        server.close();
        server.closeAllConnections();
        await closeGitState(state);
      },
    };
  }

  it('gives up where the database and the shard do not agree', async () => {
    const sharded = new ShardedGit(refusing().connection);
    sharded.add(1, refusing().connection);
    sharded.setSource({ shardOf: async () => 1, poll: async () => {} });
    const refused = { kind: 'other-shard' };
    await assert.rejects(sharded.git.repository(7).listRefs('refs/'), refused);
    await assert.rejects(sharded.git.remove(7), refused);
  });

  it('does not repeat what cannot be read again, and has the next call get it right', async () => {
    const { repository, id } = await test.newRepository();
    const sharded = new ShardedGit(refusing().connection);
    sharded.add(1, connectGit(test.socketPath).connection);
    const answers = [0, 1];
    sharded.setSource({ shardOf: async () => answers.shift(), poll: async () => {} });
    const body = await repository.advertise('upload-pack', undefined);
    await assert.rejects(sharded.git.repository(id).uploadPack(body, undefined), {
      kind: 'other-shard',
    });
    body.destroy();
    assert.deepEqual(await sharded.git.repository(id).listRefs('refs/'), []);
  });

  it('looks for shards that it does not know, and is unavailable without them', async () => {
    const { id } = await test.newRepository();
    const sharded = new ShardedGit(refusing().connection);
    let polls = 0;
    sharded.setSource({
      shardOf: async () => 3,
      poll: async () => {
        polls += 1;
        if (polls === 2) sharded.add(3, connectGit(test.socketPath).connection);
      },
    });
    const list = (): Promise<unknown> => sharded.git.repository(id).listRefs('refs/');
    await assert.rejects(list(), { kind: 'unavailable' });
    assert.deepEqual(await list(), []);
  });
});
