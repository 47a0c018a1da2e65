import assert from 'node:assert/strict';
import { stat, symlink, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';

import { noObject, type ObjectId } from '#forge/git/names.ts';
import { movesOver } from '#forge/git/process/move-client.ts';
import { tryGit, temporaryFolder, type TemporaryFolder } from '#forge/git/testing/real-git.ts';
import { branchName, objectId, refName, someone } from '#forge/git/testing/test-git.ts';
import type { Database } from '#platform/database/database.ts';
import { openTestDatabase } from '#platform/testing/test-database.ts';

import { shardOfRepository } from '../shards/shard-store.ts';
import type { MoveStep } from './move-network.ts';
import { NetworkMover } from './network-mover.ts';
import { findMove, requestMove } from './move-store.ts';
import { startTwoShards, type TestShard, type TwoShards } from './testing/two-shards.ts';

const main = refName('refs/heads/main');

describe('a network that moves to another shard', { timeout: 120_000 }, () => {
  let folder: TemporaryFolder;
  let database: Database;
  let two: TwoShards;
  const movers: NetworkMover[] = [];
  before(async () => {
    folder = await temporaryFolder();
    database = await openTestDatabase();
    two = await startTwoShards(database, folder.path);
  });
  after(async () => {
    for (const mover of movers) await mover.close();
    await two.first.stop();
    await two.second.stop();
    await database.close();
    await folder.remove();
  });

  function newMover(onStep?: (step: MoveStep) => Promise<void>): NetworkMover {
    const log = { info: () => {}, warn: () => {} };
    const pollMilliseconds = 1_000_000;
    const { shards } = two;
    const mover = new NetworkMover({
      database,
      shards,
      cluster: undefined,
      log,
      onStep,
      pollMilliseconds,
      pauseMilliseconds: 0,
    });
    movers.push(mover);
    return mover;
  }

  /** Repositories with a commit, a ref that looks like a leftover, and an object that nothing names. */
  async function newNetwork(count: number) {
    const network = await two.newNetwork(count);
    const unnamed: ObjectId[] = [];
    for (const id of network.ids) {
      await two.git.create(id, branchName('main'));
      unnamed.push(await two.git.repository(id).writeBlob(Buffer.from(`named by nobody in ${id}`)));
      await commit(id);
      const tip = await tipOf(id);
      const names = ['refs/heads/tmp_x', 'refs/heads/x.new', 'refs/pull/1/head'];
      await two.git
        .repository(id)
        .updateRefs(names.map((name) => ({ ref: refName(name), old: noObject, new: tip })));
    }
    return { ...network, unnamed };
  }

  const tipOf = async (id: number): Promise<ObjectId> =>
    (await two.git.repository(id).readRef(main)) ?? objectId('0'.repeat(40));

  /** One more on the branch. */
  async function commit(id: number): Promise<ObjectId> {
    const repository = two.git.repository(id);
    const old = await repository.readRef(main);
    const tree = await repository.writeTree(undefined, []);
    assert.ok(tree.kind === 'written');
    const next = await repository.writeCommit({
      tree: tree.id,
      parents: old ? [old] : [],
      author: someone,
      committer: someone,
      message: 'one more',
    });
    const moved = await repository.updateRefs([{ ref: main, old: old ?? noObject, new: next }]);
    assert.deepEqual(moved, { kind: 'updated' });
    return next;
  }

  const request = (networkId: number, shardId = two.secondId): Promise<boolean> =>
    database.write((sql) => requestMove(sql, { networkId, shardId, now: 1 }));

  const moveOf = (networkId: number) => database.read((sql) => findMove(sql, networkId));

  async function isIn(shard: TestShard, id: number): Promise<boolean> {
    return stat(shard.state.paths.repository(id)).then(
      () => true,
      () => false,
    );
  }

  /** It is whole in one shard, nothing is left in the other, and it takes writes. */
  async function requireIn(shard: TestShard, ids: readonly number[]): Promise<void> {
    const other = shard === two.first ? two.second : two.first;
    for (const id of ids) {
      assert.equal(await isIn(shard, id), true, `${id} is there`);
      assert.equal(await isIn(other, id), false, `${id} is not in the other shard`);
      const fsck = await tryGit(shard.state.paths.repository(id), ['fsck', '--strict', '--full']);
      assert.equal(fsck.status, 0);
      const tip = await tipOf(id);
      const next = await two.git.repository(id).readCommit(await commit(id));
      assert.deepEqual(next?.parents, [tip]);
    }
    for (const one of [two.first, two.second])
      assert.ok(!(await one.moves()).some((name) => name.startsWith('arriving-')));
  }

  it('has everything that it had, and its old shard nothing', async () => {
    const { networkId, ids, unnamed } = await newNetwork(2);
    const [one = 0] = ids;
    const path = (shard: TestShard, object: string): string =>
      join(shard.state.paths.repository(one), 'objects', object.slice(0, 2), object.slice(2));
    const [blob = ''] = unnamed;
    await utimes(path(two.first, blob), 1000, 1000);
    const refs = await two.git.repository(one).listRefs('refs/');
    await request(networkId);
    assert.equal(await request(networkId), false, 'once');
    await newMover().work();
    assert.equal(await moveOf(networkId), undefined);
    assert.equal(await database.read((sql) => shardOfRepository(sql, one)), two.secondId);
    assert.deepEqual(await two.git.repository(one).listRefs('refs/'), refs);
    assert.equal((await stat(path(two.second, blob))).mtimeMs, 1_000_000, 'expires when it did');
    await requireIn(two.second, ids);
    // And back, where it was held.
    await request(networkId, 0);
    await newMover().work();
    await requireIn(two.first, ids);
    assert.deepEqual(
      (await two.first.moves()).filter((name) => ids.map(String).includes(name)),
      [],
    );
  });

  it('stays as it is when it is to move to the shard in which it is', async () => {
    const { networkId, ids } = await newNetwork(1);
    assert.equal(await request(networkId, 0), false);
    await newMover().work();
    assert.equal(await moveOf(networkId), undefined);
    await requireIn(two.first, ids);
  });

  it('has what is written while it is copied, and waits with writes only at the end', async () => {
    const { networkId, ids } = await newNetwork(1);
    const [id = 0] = ids;
    await request(networkId);
    let waiting: Promise<ObjectId> | undefined;
    let during: ObjectId | undefined;
    const mover = newMover(async (step) => {
      if (step === 'copied') during = await commit(id);
      if (step !== 'frozen') return;
      assert.equal(await tipOf(id), during, 'reads are answered');
      waiting = two.git.repository(id).writeBlob(Buffer.from('waits'));
    });
    await mover.work();
    assert.equal(await tipOf(id), during);
    const blob = (await waiting) ?? assert.fail();
    assert.equal((await two.git.repository(id).readBlob(blob))?.toString(), 'waits');
    await requireIn(two.second, ids);
  });

  for (const step of [
    'started',
    'copied',
    'frozen',
    'compared',
    'closed',
    'switched',
    'accepted',
  ] as const) {
    it(`is whole in one shard after its server ended when it was ${step}`, async () => {
      const { networkId, ids } = await newNetwork(2);
      const [id = 0] = ids;
      await request(networkId);
      const reached = Promise.withResolvers<void>();
      const late = Promise.withResolvers<void>();
      const dead = newMover(async (at) => {
        if (at !== step) return;
        reached.resolve();
        await late.promise;
      });
      const working = dead.work();
      await reached.promise;
      // So did the git processes.
      for (const shard of [two.first, two.second]) {
        await shard.stop();
        await shard.start();
      }
      const takesWrites = step === 'started' || step === 'copied' || step === 'accepted';
      const written = await commit(id).catch((error: unknown) => {
        assert.ok(!takesWrites, String(error));
        return undefined;
      });
      assert.equal(written !== undefined, takesWrites, 'what is held back outlives its process');
      await newMover().work();
      await newMover().work();
      assert.equal(await moveOf(networkId), undefined);
      if (written) assert.equal(await tipOf(id), written);
      await requireIn(two.second, ids);
      // It comes back, as one that stood still does: nothing of its attempt happens any more, wherever the network is then.
      await request(networkId, 0);
      await newMover().work();
      late.resolve();
      await working;
      await newMover().work();
      await requireIn(two.first, ids);
    });
  }

  it('stays where it is, and takes writes, where it cannot be copied', async () => {
    const { networkId, ids } = await newNetwork(1);
    const [id = 0] = ids;
    await symlink('/etc/passwd', join(two.first.state.paths.repository(id), 'objects', 'link'));
    await request(networkId);
    for (let attempt = 0; attempt < 5; attempt += 1) await newMover().work();
    const failed = await moveOf(networkId);
    assert.equal(failed?.state, 'failed');
    assert.match(failed.problem ?? '', /git process exited|no regular file/);
    await commit(id);
    assert.equal(await isIn(two.second, id), false);
    for (const shard of [two.first, two.second])
      assert.ok(!(await shard.moves()).some((name) => name.startsWith('arriving-')));
    await newMover().work();
    assert.equal((await moveOf(networkId))?.state, 'failed', 'nobody tries again');
    assert.equal(await request(networkId), true, 'until it is asked for');
    await database.write((sql) => sql.run('delete from network_moves'));
  });

  it('waits for repositories that are being created', async () => {
    const { networkId, ids } = await newNetwork(1);
    await request(networkId);
    let polls = 0;
    const mover = newMover(async (step) => {
      if (step !== 'closed') return;
      polls += 1;
      if (polls > 1) return;
      // A fork is created after all was copied.
      await database.write((sql) =>
        sql.run("update repositories set state = 'creating' where id = $1", ids[0] ?? 0),
      );
    });
    await mover.work();
    assert.equal((await moveOf(networkId))?.state, 'requested');
    assert.equal(await isIn(two.second, ids[0] ?? 0), false);
    await database.write((sql) =>
      sql.run("update repositories set state = 'ready' where id = $1", ids[0] ?? 0),
    );
    await mover.work();
    await requireIn(two.second, ids);
  });

  it('can be deleted in its new shard, also by a removal that is repeated after its row is gone', async () => {
    const { networkId, ids } = await newNetwork(1);
    const [id = 0] = ids;
    await request(networkId);
    await newMover().work();
    await two.git.remove(id);
    assert.equal(await isIn(two.second, id), false);
    await database.write((sql) => sql.run('delete from repositories where id = $1', id));
    const started = performance.now();
    await two.git.remove(id);
    const missing = { kind: 'missing-repository' };
    await assert.rejects(two.git.repository(id).readRef(main), missing);
    assert.ok(performance.now() - started < 2000, 'nothing waits for it');
  });

  it('is held by no words of a message that would be other files', async () => {
    const moves = movesOver(two.first.connection);
    // As another program would send them.
    const strange: number[] = JSON.parse('["../../strange"]');
    for (const asked of [
      () => moves.freeze('token', strange),
      () => moves.freeze('../token', []),
      () => moves.freeze('a token\nof two lines', [1]),
      () => moves.begin('../../strange'),
      () => moves.refs(-1),
    ])
      await assert.rejects(asked, { name: 'GitError', kind: 'failed' });
    await assert.rejects(stat(join(folder.path, 'strange')), { code: 'ENOENT' });
    assert.deepEqual((await moves.tokens()).leaving, []);
  });

  it('is moved by the server with the default shard alone', async () => {
    const { networkId } = await newNetwork(1);
    await request(networkId);
    const log = { info: () => {}, warn: () => {} };
    const cluster = { owns: () => false };
    const mover = new NetworkMover({ database, shards: two.shards, cluster, log });
    movers.push(mover);
    await mover.work();
    assert.equal((await moveOf(networkId))?.state, 'requested');
    await database.write((sql) => sql.run('delete from network_moves'));
  });

  it('is let go where the attempt that holds it is known to no row', async () => {
    const { networkId, ids } = await newNetwork(1);
    const [id = 0] = ids;
    await request(networkId);
    const mover = newMover(async (step) => {
      if (step === 'frozen') throw new Error('It ended here.');
    });
    // The target does not answer when the attempt is undone.
    await two.second.stop();
    await mover.work();
    await two.second.start();
    await database.write((sql) => sql.run('delete from network_moves'));
    await newMover().work();
    await commit(id);
    assert.equal(await isIn(two.first, id), true);
  });
});
