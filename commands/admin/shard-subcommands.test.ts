import assert from 'node:assert/strict';
import { chmod, mkdir, mkdtemp, readdir, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';

import { createNetwork } from '#forge/events/invalidate.ts';
import { insertRepository, markReady } from '#forge/repositories/repository-life-store.ts';
import type { Sql } from '#platform/database/database.ts';
import { OperatorError } from '#platform/operator-error.ts';
import { readSettings } from '#settings/settings.ts';

import { requestMove } from '../serve/moves/move-store.ts';
import { shardOfRepository } from '../serve/shards/shard-store.ts';
import { administer } from './administration.ts';
import { type Result, readArgs } from './subcommand.ts';
import { subcommands } from './subcommands.ts';

describe('hob admin, for shards,', () => {
  let parent = '';
  before(async () => {
    parent = await mkdtemp(join(tmpdir(), 'hob-admin-'));
  });
  after(() => rm(parent, { recursive: true }));

  async function run(name: string, ...args: string[]): Promise<Result> {
    const subcommand = subcommands.find((one) => one.name === name) ?? assert.fail(name);
    const read = readArgs(subcommand, args, []);
    const settings = readSettings(['--data', join(parent, 'data')], {});
    assert.ok(read.kind === 'given' && settings.kind === 'settings');
    return administer(settings.settings, (ports) => subcommand.run(ports, read.args));
  }

  const add = (name: string, folder: string, ...more: string[]): Promise<Result> =>
    run('add-shard', name, '--folder', folder, ...more);

  it('refuses names, folders and nodes that are none, and folders that are in use', async () => {
    await run('list-shards');
    await assert.rejects(run('add-shard', 'two'), /--folder FOLDER is missing/);
    for (const name of ['', 'Two', 'two words', 'two/../three', 'x'.repeat(64), 'default'])
      await assert.rejects(add(name, join(parent, 'two')), OperatorError, name);
    const full = join(parent, 'full');
    await mkdir(full);
    await writeFile(join(full, 'file'), '');
    const open = join(parent, 'open');
    await mkdir(open);
    await chmod(open, 0o777);
    const link = join(parent, 'link');
    await symlink(join(parent, 'data'), link);
    const around = join(parent, 'around');
    await symlink(parent, around);
    for (const folder of [
      'relative',
      `${parent}/two/../three`,
      `${parent}/two/`,
      '/',
      parent,
      join(parent, 'data'),
      join(parent, 'data', 'repositories'),
      join(parent, 'full', 'file'),
      full,
      open,
      link,
      join(link, 'repositories', 'x'),
      join(around, 'data', 'x'),
    ]) {
      await assert.rejects(add('two', folder), Error, folder);
    }
    assert.deepEqual(await readdir(join(parent, 'data', 'repositories')), []);
    for (const nodes of ['', 'host', 'host:1,', 'host:port'])
      await assert.rejects(add('two', join(parent, 'two'), '--nodes', nodes), OperatorError, nodes);
    assert.deepEqual((await run('list-shards')).lines, [
      'default  in the data directory  0 repositories',
    ]);
  });

  it('adds one, lists it, and adds no second of its name or in its folder', async () => {
    const folder = join(parent, 'volume', 'two');
    const added = await add('two', folder, '--nodes', 'a.test:1, b.test:2');
    assert.deepEqual(added.json, { id: 1, name: 'two', folder, nodes: ['a.test:1', 'b.test:2'] });
    assert.deepEqual(await readdir(folder), ['shard.json']);
    await assert.rejects(add('two', join(parent, 'other')), /Shard two already exists/);
    await assert.rejects(add('three', folder), /are the same/);
    const three = await add('three', join(parent, 'three'));
    const link = join(parent, 'link-to-volume');
    await symlink(join(parent, 'volume'), link);
    for (const nested of [
      join(folder, 'inside'),
      join(link, 'two', 'x', 'y'),
      join(parent, 'volume'),
    ])
      await assert.rejects(add('nested', nested), /one is inside the other/, nested);
    // Its row is of another installation.
    const strange = join(parent, 'strange');
    await mkdir(join(strange, 'repositories'), { recursive: true });
    // Many systems have /var/lock.
    await mkdir(join(strange, 'lock'));
    await add('allowed', join(strange, 'repositories', 'allowed'));
    await run('update-shard', 'allowed', '--new-repositories', 'off');
    await run('remove-shard', 'allowed');
    for (const file of ['shard.json', 'server-id']) {
      await writeFile(join(strange, file), '');
      await assert.rejects(add('nested', join(strange, 'repositories', 'x')), new RegExp(file));
      await rm(join(strange, file));
    }
    assert.deepEqual(await readdir(folder), ['shard.json']);
    assert.deepEqual(three.json, {
      id: 2,
      name: 'three',
      folder: join(parent, 'three'),
      nodes: null,
    });
    assert.deepEqual((await run('list-shards')).lines, [
      'default  in the data directory  0 repositories',
      `two  ${folder}  0 repositories`,
      `three  ${join(parent, 'three')}  0 repositories`,
    ]);
  });

  it('gives one folder to one of two commands, and no id twice', async () => {
    const contested = join(parent, 'contested');
    const both = await Promise.allSettled(['x', 'y'].map((name) => add(name, contested)));
    for (const [at, { status }] of both.entries()) {
      if (status !== 'fulfilled') continue;
      const name = at === 0 ? 'x' : 'y';
      await run('update-shard', name, '--new-repositories', 'off');
      await run('remove-shard', name);
    }
    assert.deepEqual(both.map(({ status }) => status).toSorted(), ['fulfilled', 'rejected']);
    const idOf = async (name: string): Promise<unknown> => {
      const { json } = await add(name, join(parent, `of-${name}`), '--new-repositories', 'off');
      await run('remove-shard', name);
      return json instanceof Object && 'id' in json && json.id;
    };
    assert.notEqual(await idOf('x'), await idOf('y'));
  });

  it('sets which shards get new repositories', async () => {
    await assert.rejects(run('update-shard', 'two'), /--new-repositories is missing/);
    await assert.rejects(run('update-shard', 'two', '--new-repositories', 'no'), /is on or off/);
    for (const name of ['four', '', 'two\n', '0'])
      await assert.rejects(
        run('update-shard', name, '--new-repositories', 'off'),
        /There is no shard .* There are: default, two, three/,
      );
    for (const name of ['default', 'two'])
      await run('update-shard', name, '--new-repositories', 'off');
    await add('four', join(parent, 'four'), '--new-repositories', 'off');
    await run('update-shard', 'two', '--new-repositories', 'on');
    assert.deepEqual((await run('list-shards')).lines, [
      'default  in the data directory  0 repositories, accepts no new ones',
      `two  ${join(parent, 'volume', 'two')}  0 repositories`,
      `three  ${join(parent, 'three')}  0 repositories`,
      `four  ${join(parent, 'four')}  0 repositories, accepts no new ones`,
    ]);
  });

  it('removes shards that nothing needs, and no others', async () => {
    await assert.rejects(run('remove-shard', 'default'), /default shard cannot be removed/);
    await assert.rejects(run('remove-shard', 'none'), /There is no shard "none"/);
    await assert.rejects(run('remove-shard', 'two'), /hob admin update-shard two --new-repos/);
    await run('update-shard', 'two', '--new-repositories', 'off');
    const { id, networkId } = await administered(repositoryIn('two'));
    await assert.rejects(run('remove-shard', 'two'), /There are repositories in shard two/);
    await administered((sql) => sql.run('update networks set shard_id = 0'));
    await administered((sql) => requestMove(sql, { networkId, shardId: 1, now: 1 }));
    await assert.rejects(run('remove-shard', 'two'), /being moved from or to shard two/);
    await administered((sql) => sql.run('delete from network_moves'));
    await run('remove-shard', 'two');
    await assert.rejects(run('remove-shard', 'two'), /There is no shard "two"/);
    assert.equal(await administered((sql) => shardOfRepository(sql, id)), 0);
  });

  it('requests moves of networks, once, and refuses what it cannot name', async () => {
    for (const name of ['ada', 'ada/', '/code', 'ada/none', 'ada/code/x', '', '--', 'ada/code\n'])
      await assert.rejects(run('move-network', '--', name, 'three'), OperatorError, name);
    for (const shard of ['none', '', '../three', 'three\n', '2'])
      await assert.rejects(run('move-network', 'ada/code', shard), /There is no shard/, shard);
    const here = await run('move-network', 'ada/code', 'default');
    assert.deepEqual(here.lines, ['ada/code is in shard default.']);
    const requested = await run('move-network', 'ada/code', 'three', '--no-wait');
    assert.deepEqual(requested.lines, ['The server moves ada/code to shard three.']);
    await run('move-network', 'ada/code', 'three', '--no-wait');
    await assert.rejects(run('move-network', 'ada/code', 'four'), /being moved to another shard/);
    await administered((sql) =>
      sql.run("update network_moves set state = 'failed', problem = 'the disk is full'"),
    );
    const waiting = run('move-network', 'ada/code', 'three');
    const failing = async (): Promise<void> => {
      for (;;) {
        const failed = await administered((sql) =>
          sql.run(
            "update network_moves set state = 'failed', problem = 'no space' where state = 'requested'",
          ),
        );
        if (failed > 0) return;
      }
    };
    await Promise.all([failing(), assert.rejects(waiting, /ada\/code was not moved: no space/)]);
  });

  /** A statement of its own on the same database. */
  async function administered<T>(work: (sql: Sql) => Promise<T>): Promise<T> {
    const settings = readSettings(['--data', join(parent, 'data')], {});
    assert.ok(settings.kind === 'settings');
    return administer(settings.settings, ({ database }) => database.write(work));
  }

  const repositoryIn = (shard: string) => async (sql: Sql) => {
    const owner = await sql.get<{ id: number }>(
      `insert into accounts (kind, login, login_key, created_at, updated_at)
       values ('user', 'ada', 'ada', 0, 0) returning id`,
    );
    const found = await sql.get<{ id: number }>('select id from git_shards where name = $1', shard);
    const network = await createNetwork(sql, { shardId: found?.id ?? assert.fail() });
    const id = await insertRepository(network.write, {
      ownerId: owner?.id ?? assert.fail(),
      networkId: network.id,
      name: 'code',
      description: null,
      homepage: null,
      private: false,
      defaultBranch: 'main',
      now: 0,
    });
    await markReady(network.write, id);
    return { id, networkId: network.id };
  };
});
