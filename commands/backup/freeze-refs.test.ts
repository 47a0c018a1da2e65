import assert from 'node:assert/strict';
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';

import { temporaryFolder, type TemporaryFolder } from '#forge/git/testing/real-git.ts';
import { repositoryPaths } from '#forge/git/commands/repository-paths.ts';
import { writeShardMarker } from '#forge/git/process/shard-marker.ts';
import { insertIntent } from '#forge/ref-updates/intent-store.ts';
import {
  deleteRepositoryRow,
  insertRepository,
  markReady,
} from '#forge/repositories/repository-life-store.ts';
import { markPushed } from '#forge/repositories/repository-store.ts';
import { createNetwork, writeRepository } from '#forge/events/invalidate.ts';
import type { Database } from '#platform/database/database.ts';
import type { DatabaseSnapshot } from '#platform/database/database-snapshot.ts';
import { openTestDatabase } from '#platform/testing/test-database.ts';

import { insertShard } from '../serve/shards/shard-store.ts';
import { folderOfRepository, forgetShards, shardFolders } from './backup-store.ts';
import { freezeRefs } from './freeze-refs.ts';
import { findSourceRepositories } from './source-repositories.ts';

describe('frozen refs', () => {
  const one = '1'.repeat(40);
  const other = '2'.repeat(40);
  let folder: TemporaryFolder;
  let database: Database;
  let ownerId: number;

  before(async () => {
    folder = await temporaryFolder();
    database = await openTestDatabase();
    const row = await database.write((sql) =>
      sql.get<{ id: number }>(
        `insert into accounts (kind, login, login_key, created_at, updated_at)
         values ('user', 'ada', 'ada', 0, 0) returning id`,
      ),
    );
    ownerId = row?.id ?? assert.fail();
  });
  after(async () => {
    await database.close();
    await folder.remove();
  });

  const source = () => repositoryPaths(join(folder.path, 'source', 'repositories'));
  const sources = () => findSourceRepositories(database, join(folder.path, 'source'));
  const copy = () => repositoryPaths(join(folder.path, 'copy'));

  async function repository(name: string, id: string): Promise<number> {
    const created = await database.write(async (sql) => {
      const network = await createNetwork(sql, { shardId: 0 });
      const repositoryId = await insertRepository(network.write, {
        ownerId,
        networkId: network.id,
        name,
        description: null,
        homepage: null,
        private: false,
        defaultBranch: 'main',
        now: 0,
      });
      await markReady(network.write, repositoryId);
      return repositoryId;
    });
    await mkdir(join(source().repository(created), 'refs', 'heads'), { recursive: true });
    await writeFile(join(source().repository(created), 'HEAD'), 'ref: refs/heads/main\n');
    await move(created, id);
    return created;
  }

  const move = (id: number, to: string): Promise<void> =>
    writeFile(join(source().repository(id), 'refs', 'heads', 'main'), `${to}\n`);

  const saved = (id: number): Promise<string> =>
    readFile(join(copy().repository(id), 'packed-refs'), 'utf8');

  /** Something happens after the refs were read, and before no one can write any more. */
  async function freezing(meanwhile: () => Promise<void>) {
    const snapshot: DatabaseSnapshot = {
      engine: 'sqlite',
      read: (work) => database.read(work),
      async freeze(_tables, work) {
        await meanwhile();
        return database.read(work);
      },
      save: () => assert.fail(),
      close: () => assert.fail(),
    };
    const keys = { from: join(folder.path, 'keys'), to: join(folder.path, 'copied-keys') };
    return freezeRefs({ database: snapshot, source: await sources(), copy: copy(), keys });
  }

  test('are current: refs that moved after they were read are read again', async () => {
    const moved = await repository('moved', one);
    const still = await repository('still', one);
    await freezing(async () => {
      await move(moved, other);
      await writeRepository(database, moved, (sql) => markPushed(sql, moved, 1));
    });
    assert.equal(await saved(moved), `${other} refs/heads/main\n`);
    assert.equal(await saved(still), `${one} refs/heads/main\n`);
  });

  test('of a repository whose refs are being moved are read once no one can record it', async () => {
    const moving = await repository('moving', one);
    await freezing(async () => {
      await move(moving, other);
      const intent = { repositoryId: moving, refs: [], merge: undefined };
      await database.write((sql) => insertIntent(sql, { ...intent, kind: 'push', now: 1 }));
    });
    assert.equal(await saved(moving), `${other} refs/heads/main\n`);
  });

  test('are not of repositories that went meanwhile, and are of those that came', async () => {
    const going = await repository('going', one);
    let came = 0;
    const { repositories } = await freezing(async () => {
      came = await repository('came', other);
      await writeRepository(database, going, (sql) => deleteRepositoryRow(sql, going));
      await rm(source().repository(going), { recursive: true });
    });
    assert.ok(!repositories.includes(going) && repositories.includes(came));
    await assert.rejects(saved(going), { code: 'ENOENT' });
    assert.equal(await saved(came), `${other} refs/heads/main\n`);
  });

  test('are the loose ones where a packed one is of another age, without locks and peeled tags', async () => {
    const id = await repository('packed', other);
    const path = source().repository(id);
    const packed = `# pack-refs with: peeled \n${one} refs/heads/main\n${one} refs/tags/v1\n^${other}\n`;
    await writeFile(join(path, 'packed-refs'), packed);
    await writeFile(join(path, 'refs', 'heads', 'x.lock'), `${one}\n`);
    await freezing(async () => {});
    assert.equal(await saved(id), `${other} refs/heads/main\n${one} refs/tags/v1\n`);
  });

  test('are read in the shard of each repository, once that has its files', async () => {
    const shard = { name: 'two', folder: join(folder.path, 'two'), folderKey: 'key' };
    const options = { nodeAddresses: undefined, acceptsNew: true };
    const shardId = await database.write((sql) => insertShard(sql, { ...shard, ...options }));
    await assert.rejects(
      freezing(async () => {}),
      /shard "two" is not there, or is another folder/,
    );
    await mkdir(shard.folder);
    await writeShardMarker(shard.folder, shard.folderKey);
    const moved = await repository('in-two', one);
    const path = repositoryPaths(shard.folder).repository(moved);
    let polls = 0;
    const { repositories } = await freezing(async () => {
      polls += 1;
      if (polls === 1) {
        await database.write(async (sql) => {
          await sql.run(
            `update networks set shard_id = $2, version = version + 1
              where id = (select network_id from repositories where id = $1)`,
            moved,
            shardId,
          );
          await sql.run(
            `insert into network_moves (network_id, from_shard_id, shard_id, state, requested_at)
              select network_id, 0, $2, 'switched', 1 from repositories where id = $1`,
            moved,
            shardId,
          );
        });
        await rm(source().repository(moved), { recursive: true });
      }
      if (polls === 3) {
        await mkdir(join(path, 'refs', 'heads'), { recursive: true });
        await writeFile(join(path, 'HEAD'), 'ref: refs/heads/main\n');
        await writeFile(join(path, 'refs', 'heads', 'main'), `${other}\n`);
        await database.write((sql) => sql.run('delete from network_moves'));
      }
    });
    assert.equal(polls, 3);
    assert.ok(repositories.includes(moved));
    assert.equal(await saved(moved), `${other} refs/heads/main\n`);
    // Its volume is unmounted in the middle.
    const unmounted = freezing(async () => {
      await rename(shard.folder, `${shard.folder}-away`);
      await mkdir(shard.folder);
    });
    await assert.rejects(unmounted, /shard "two" is not there, or is another folder/);
    await database.write(forgetShards);
    assert.equal(
      await database.read((sql) => folderOfRepository(sql, moved)),
      undefined,
      'a restored one is in the default shard',
    );
    assert.deepEqual(await database.read(shardFolders), []);
  });

  test('come with the service key', async () => {
    await mkdir(join(folder.path, 'keys'));
    await writeFile(join(folder.path, 'keys', 'service-key'), 'key', { mode: 0o600 });
    await writeFile(join(folder.path, 'keys', 'audit.log'), '');
    await freezing(async () => {});
    assert.equal(await readFile(join(folder.path, 'copied-keys', 'service-key'), 'utf8'), 'key');
    await assert.rejects(readFile(join(folder.path, 'copied-keys', 'audit.log')), {
      code: 'ENOENT',
    });
  });
});
