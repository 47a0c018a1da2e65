import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { closeSync, constants, mkdirSync, openSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { join as pathOf } from 'node:path';
import { afterEach, beforeEach, describe, it } from 'node:test';

import { createNetwork } from '#forge/events/invalidate.ts';
import { shardMarkerFile } from '#forge/git/process/shard-marker.ts';
import { temporaryFolder } from '#forge/git/testing/real-git.ts';
import { insertRepository } from '#forge/repositories/repository-life-store.ts';
import type { Database } from '#platform/database/database.ts';
import { createLog } from '#platform/log.ts';
import { DatabaseUnavailableError } from '#platform/storage-failure.ts';
import { openTestDatabase } from '#platform/testing/test-database.ts';
import { testPostgresUrl } from '#platform/testing/test-postgres.ts';

import { reachesShard } from '../shards/shard-folder.ts';
import { insertShard } from '../shards/shard-store.ts';
import { releaseLease, takeLease } from './lease-store.ts';
import { Membership, type MembershipOptions } from './membership.ts';
import { leaveNodes, renewNode } from './node-store.ts';
import { takeShard } from './shard-owner-store.ts';

describe('the nodes of a cluster', { skip: testPostgresUrl === undefined }, () => {
  let database: Database;
  const open: Membership[] = [];
  const released: string[] = [];

  beforeEach(async () => {
    database = await openTestDatabase();
  });
  afterEach(async () => {
    for (const membership of open.splice(0)) await membership.leave();
    released.length = 0;
    await database.close();
  });

  /** Looks only when it is told to. */
  async function join(
    serverId: string,
    options: Partial<MembershipOptions> = {},
  ): Promise<Membership> {
    const membership = await Membership.join({
      database: { ...database, close: async () => {} },
      node: nodeOf(serverId),
      log: createLog('silent'),
      onLost: () => assert.fail(`${serverId} lost its lease`),
      releaseClaims: async (_sql, dead) => {
        released.push(dead);
      },
      reaches: async () => assert.fail('There is no other shard.'),
      pollMilliseconds: 3_600_000,
      ...options,
    });
    open.push(membership);
    return membership;
  }

  const nodeOf = (serverId: string) => ({
    serverId,
    name: `${serverId}.test`,
    address: `${serverId}.test:1`,
    version: '1',
    incarnation: `of ${serverId}`,
  });

  const expire = (serverId: string): Promise<number> =>
    database.write((sql) =>
      sql.run('update nodes set lease_until = 1 where server_id = $1', serverId),
    );

  const idsOf = (nodes: readonly { readonly serverId: string }[]): string[] =>
    nodes.map(({ serverId }) => serverId);

  it('know each other, and one of them has the repositories', async () => {
    const b = await join('b');
    const a = await join('a');
    assert.deepEqual([a.owns(0), b.owns(0)], [false, true]);
    assert.equal(a.owner(0)?.address, 'b.test:1');
    assert.deepEqual(idsOf(a.serving()), [], 'none takes requests yet');
    let changes = 0;
    a.onNodes(() => (changes += 1));
    await b.serve(true);
    await a.serve(true);
    assert.deepEqual(idsOf(a.serving()), ['a', 'b']);
    assert.equal(changes, 1);
    await a.poll();
    assert.equal(changes, 1, 'nothing has changed');
    await b.serve(false);
    await a.poll();
    assert.deepEqual(idsOf(a.serving()), ['a']);
    assert.equal(a.isLive('b'), true);
    assert.equal(a.owner(0)?.serverId, 'b', 'it stops, and has the repositories until it ends');
  });

  it('take over from one that leaves or dies, and release its claims once', async () => {
    const a = await join('a');
    const b = await join('b');
    const c = await join('c');
    await a.leave();
    open.shift();
    let owners = 0;
    b.onOwner(() => (owners += 1));
    await b.poll();
    await c.poll();
    assert.deepEqual([b.owns(0), c.owns(0), owners], [true, false, 1]);
    assert.deepEqual(released, ['a']);
    await database.write((sql) => leaveNodes(sql, nodeOf('b')));
    await c.poll();
    assert.equal(c.owns(0), true);
    assert.deepEqual(released, ['a', 'b']);
    assert.deepEqual([c.shards()[0]?.serverId, c.shards()[0]?.term], ['c', 3]);
    assert.deepEqual(idsOf([...c.others(), nodeOf('c')]), ['c']);
  });

  it('leaves although the database is away: the others wait for the end of its lease', async () => {
    const a = await join('a');
    let isAway = false;
    const away: Database = {
      ...database,
      close: async () => {},
      async write(work, options) {
        if (isAway) throw new DatabaseUnavailableError(new Error('It is away.'));
        return database.write(work, options);
      },
    };
    const c = await join('c', { database: away });
    isAway = true;
    await c.leave();
    await a.poll();
    assert.equal(a.isLive('c'), true);
    await expire('c');
    await a.poll();
    assert.deepEqual([a.isLive('c'), released], [false, ['c']]);
  });

  it('ends itself when its lease was over, and changes nothing after that', async () => {
    const lost = Promise.withResolvers<void>();
    const a = await join('a', { renewMilliseconds: 10, onLost: lost.resolve });
    await expire('a');
    await lost.promise;
    assert.equal(await database.write((sql) => a.ownsShardOf(sql, 1)), false);
    assert.equal((await database.write((sql) => renewNode(sql, nodeOf('a')))).renewed, false);
    assert.equal(await database.write((sql) => takeShard(sql, nodeOf('a'), 0)), undefined);
  });

  it('has what its former incarnation had, which may do nothing more', async () => {
    await join('a');
    const next = await join('a', { node: { ...nodeOf('a'), incarnation: 'the next' } });
    assert.equal(next.owns(0), true);
    assert.equal(next.shards()[0]?.term, 2);
    const former = nodeOf('a');
    assert.equal((await database.write((sql) => renewNode(sql, former))).renewed, false);
    assert.equal(await database.write((sql) => takeShard(sql, former, 0)), undefined);
  });

  it('does not join with a clock that is far from that of the database', async () => {
    const reported: unknown[] = [];
    const log = Object.assign(createLog('silent'), {
      warn: (details: unknown) => reported.push(details),
    });
    const joinAt = async (seconds: number): Promise<Membership> =>
      join('a', { log, clock: { now: () => Date.now() + seconds * 1000 } });
    await assert.rejects(joinAt(3600), /is 3600 seconds ahead of that of the database/);
    await assert.rejects(joinAt(-40), /is 40 seconds behind that of the database/);
    assert.deepEqual(await database.read((sql) => sql.all('select server_id from nodes')), []);
    assert.deepEqual(reported, []);
    await joinAt(5);
    assert.deepEqual(reported, [{ seconds: 5, direction: 'ahead of' }]);
    await joinAt(0);
    assert.equal(reported.length, 1);
  });

  it('compares its clock with that of the database at each renewal, and reports changes', async () => {
    let ahead = 0;
    const reported: unknown[] = [];
    const at =
      (level: string) =>
      (details: object, message: string): void => {
        if (message.includes('clock')) reported.push({ level, ...details });
      };
    const log = Object.assign(createLog('silent'), {
      info: at('info'),
      warn: at('warn'),
      error: at('error'),
    });
    const writes = { count: 0 };
    const counted: Database = {
      ...database,
      close: async () => {},
      async write(work, options) {
        const result = await database.write(work, options);
        setImmediate(() => (writes.count += 1));
        return result;
      },
    };
    const a = await join('a', {
      log,
      database: counted,
      renewMilliseconds: 5,
      clock: { now: () => Date.now() + ahead },
    });
    /** Whether the clock counts as right, after some renewals at this difference. */
    const isRightAt = async (milliseconds: number): Promise<boolean> => {
      ahead = milliseconds;
      const first = writes.count;
      while (writes.count < first + 4) await new Promise((resolve) => setImmediate(resolve));
      return a.clock.isRight();
    };
    assert.equal(await isRightAt(0), true);
    assert.deepEqual(reported, []);
    assert.equal(await isRightAt(-8000), true);
    assert.deepEqual(reported.splice(0), [{ level: 'warn', seconds: 8, direction: 'behind' }]);
    assert.equal(await isRightAt(40_000), false);
    assert.deepEqual(reported.splice(0), [{ level: 'error', seconds: 40, direction: 'ahead of' }]);
    assert.equal(await isRightAt(20_000), false, 'near the limit it stays as it was');
    assert.deepEqual(reported, []);
    assert.equal(await isRightAt(2000), true);
    assert.deepEqual(reported.splice(0), [{ level: 'warn', seconds: 2, direction: 'ahead of' }]);
    assert.equal(await isRightAt(0), true);
    assert.deepEqual(reported, [{ level: 'info' }]);
  });

  it('and a server that is alone exclude each other', async () => {
    const alone = { serverId: 'alone', name: 'alone.test' };
    const a = await join('a');
    const held = await database.write((sql) => takeLease(sql, alone));
    assert.deepEqual([held.kind, 'name' in held && held.name], ['held', 'a.test']);
    await a.leave();
    open.shift();
    const taken = await database.write((sql) => takeLease(sql, alone));
    assert.ok(taken.kind === 'taken');
    const joining = join('b').then(
      () => 'joined',
      () => 'refused',
    );
    assert.equal(
      await database.read((sql) => sql.get("select 1 from nodes where server_id = 'b'")),
      undefined,
    );
    await database.write((sql) => releaseLease(sql, 'alone', taken.term));
    assert.equal(await joining, 'joined');
  });
});

describe('the shards of a cluster', { skip: testPostgresUrl === undefined }, () => {
  let database: Database;
  const open: Membership[] = [];
  let reached: Record<string, readonly string[]> = {};
  beforeEach(async () => {
    database = await openTestDatabase();
    reached = {};
  });
  afterEach(async () => {
    for (const membership of open.splice(0)) await membership.leave();
    await database.close();
  });

  async function join(
    serverId: string,
    options: Partial<MembershipOptions> = {},
  ): Promise<Membership> {
    const membership = await Membership.join({
      database: { ...database, close: async () => {} },
      node: nodeOf(serverId),
      log: createLog('silent'),
      onLost: () => assert.fail(`${serverId} lost its lease`),
      releaseClaims: async () => {},
      reaches: async ({ name }) => reached[serverId]?.includes(name) ?? true,
      pollMilliseconds: 3_600_000,
      steadyMilliseconds: 0,
      ...options,
    });
    await membership.serve(true);
    open.push(membership);
    return membership;
  }

  const nodeOf = (serverId: string) => ({
    serverId,
    name: `${serverId}.test`,
    address: `${serverId}.test:1`,
    version: '1',
    incarnation: `of ${serverId}`,
  });

  const expire = (serverId: string): Promise<number> =>
    database.write((sql) =>
      sql.run('update nodes set lease_until = 1 where server_id = $1', serverId),
    );

  const add = (name: string, nodeAddresses?: readonly string[]): Promise<number> =>
    database.write((sql) =>
      insertShard(sql, {
        name,
        folder: `/${name}`,
        folderKey: name,
        nodeAddresses,
        acceptsNew: true,
      }),
    );

  const ownedBy = (membership: Membership): readonly number[] =>
    membership.shards().flatMap(({ id }) => (membership.owns(id) ? [id] : []));

  /** The network of a new repository; with the shard of a file that does not exist. */
  async function repositoryIn(shardId: number): Promise<number> {
    return database.write(async (sql) => {
      const owner = await sql.get<{ id: number }>(
        `insert into accounts (login, login_key, kind, created_at, updated_at) values ($1, $1, 'user', 1, 1) returning id`,
        `owner-${shardId}`,
      );
      const { id: networkId, write } = await createNetwork(sql, { shardId: 0 });
      await sql.run('update networks set shard_id = $2 where id = $1', networkId, shardId);
      return insertRepository(write, {
        ownerId: owner?.id ?? 0,
        name: `in-${shardId}`,
        description: null,
        homepage: null,
        private: false,
        defaultBranch: 'main',
        networkId,
        now: 1,
      });
    });
  }

  it('are all of the only node, and spread over those that come', async () => {
    const two = await add('two');
    const a = await join('a');
    assert.deepEqual(ownedBy(a), [0, two]);
    assert.equal(a.excess(), undefined, 'there is no other node');
    const b = await join('b');
    await a.poll();
    const excess = a.excess();
    assert.deepEqual([excess?.shard.id, excess?.to.serverId], [two, 'b']);
    assert.equal(await a.handOver(two, 'b'), true);
    assert.equal(a.owner(two)?.serverId, 'b', 'named before it has taken it');
    assert.equal(b.owns(two), false);
    await b.poll();
    await a.poll();
    assert.deepEqual([ownedBy(a), ownedBy(b)], [[0], [two]]);
    assert.deepEqual([a.excess(), b.excess()], [undefined, undefined]);
    assert.equal(a.shards()[1]?.term, 2);
    assert.equal(await a.handOver(two, 'a'), false, 'of a node that does not have it');
  });

  it('whose volumes hang leave the node what it needs to read other files', async () => {
    const folder = await temporaryFolder();
    const markers: string[] = [];
    for (const name of ['two', 'three', 'four', 'five', 'six', 'seven']) {
      const path = pathOf(folder.path, name);
      mkdirSync(path);
      markers.push(pathOf(path, shardMarkerFile));
      const shard = { name, folder: path, folderKey: name, nodeAddresses: undefined };
      await database.write((sql) => insertShard(sql, { ...shard, acceptsNew: true }));
    }
    // To read them takes until somebody writes to them.
    execFileSync('mkfifo', markers);
    const writers: number[] = [];
    try {
      const asked: string[] = [];
      const a = await join('a', {
        probeWaitMilliseconds: 1,
        reaches(shard) {
          asked.push(shard.name);
          return reachesShard(shard);
        },
      });
      for (let polls = 0; polls < 10 || asked.length < 2; polls += 1) await a.poll();
      const late = new Promise((resolve) => setTimeout(resolve, 20_000, 'late').unref());
      assert.notEqual(await Promise.race([stat(folder.path), late]), 'late');
      assert.deepEqual([ownedBy(a), asked], [[0], ['two', 'three']]);
    } finally {
      for (const marker of markers)
        writers.push(openSync(marker, constants.O_RDWR | constants.O_NONBLOCK));
      // First, so that nobody begins to read them once there is no writer.
      await folder.remove();
      for (const writer of writers) closeSync(writer);
    }
  });

  it('are not looked for while the volumes of two hang, until one of these answers', async () => {
    const two = Promise.withResolvers<boolean>();
    const three = Promise.withResolvers<boolean>();
    const hung = new Map([
      [await add('two'), two.promise],
      [await add('three'), three.promise],
    ]);
    const [twoId] = hung.keys();
    const healthy = await add('four');
    const a = await join('a', {
      probeMilliseconds: 0,
      probeWaitMilliseconds: 1,
      reaches: ({ id }) => hung.get(id) ?? Promise.resolve(true),
    });
    for (let polls = 0; polls < 10; polls += 1) await a.poll();
    assert.deepEqual(ownedBy(a), [0]);
    two.resolve(true);
    for (let polls = 0; polls < 1000 && !a.owns(healthy); polls += 1) await a.poll();
    assert.deepEqual(ownedBy(a), [0, twoId, healthy]);
    three.resolve(false);
  });

  it('of a node that has ended are taken by the one with fewest first', async () => {
    const two = await add('two');
    const a = await join('a');
    const b = await join('b');
    await a.poll();
    await a.handOver(two, 'b');
    await b.poll();
    const c = await join('c');
    await database.write((sql) => leaveNodes(sql, nodeOf('b')));
    await a.poll();
    assert.equal(a.owns(two), false, 'c has none');
    await c.poll();
    await a.poll();
    assert.deepEqual([ownedBy(a), ownedBy(c)], [[0], [two]]);
  });

  it('are of nodes that reach their folders, and that the operator named', async () => {
    reached = { a: [], b: ['two', 'three'] };
    const two = await add('two');
    const three = await add('three', ['c.test:1']);
    const a = await join('a');
    assert.deepEqual(ownedBy(a), [0]);
    const b = await join('b');
    assert.deepEqual(ownedBy(b), [two]);
    assert.equal(b.owner(three), undefined);
    const c = await join('c');
    assert.deepEqual(ownedBy(c), [three]);
  });

  it('are taken over each by itself, and are not handed to a node that has ended', async () => {
    const two = await add('two');
    const a = await join('a');
    const b = await join('b');
    await a.poll();
    await a.handOver(two, 'b');
    await b.poll();
    await a.poll();
    let changes = 0;
    a.onOwner(() => (changes += 1));
    await database.write((sql) => leaveNodes(sql, nodeOf('b')));
    await a.poll();
    assert.deepEqual([ownedBy(a), changes], [[0, two], 1]);
    assert.equal(await a.handOver(two, 'b'), false);
    assert.deepEqual(ownedBy(a), [0, two]);
    assert.equal(await a.handOver(two, ''), true, 'to whoever comes first');
  });

  it('have the owners that listeners know, also where one cannot be taken', async () => {
    const two = await add('two');
    const three = await add('three', ['a.test:1', 'b.test:1']);
    let fails = false;
    const failing: Database = {
      ...database,
      close: async () => {},
      write: (work, options) =>
        fails ? Promise.reject(new Error('It does not answer.')) : database.write(work, options),
    };
    const a = await join('a', { database: failing });
    const b = await join('b');
    await a.poll();
    for (const shard of [two, three]) await a.handOver(shard, 'b');
    await b.poll();
    await a.poll();
    const c = await join('c');
    await b.handOver(two, 'c');
    await c.poll();
    await database.write((sql) => leaveNodes(sql, nodeOf('b')));
    const seen: (string | undefined)[] = [];
    a.onOwner(() => seen.push(a.owner(two)?.serverId));
    fails = true;
    await a.poll();
    assert.deepEqual(seen, ['c']);
    assert.equal(a.owner(three), undefined);
    await a.poll();
    assert.deepEqual(seen, ['c'], 'nothing has changed');
    fails = false;
    await a.poll();
    assert.equal(a.owns(three), true);
    assert.deepEqual(seen, ['c', 'c']);
  });

  it('have terms of their own, by which changes of refs are declared', async () => {
    const two = await add('two');
    const a = await join('a');
    const inDefault = await repositoryIn(0);
    const inTwo = await repositoryIn(two);
    const may = (membership: Membership, id: number): Promise<boolean> =>
      database.write((sql) => membership.ownsShardOf(sql, id));
    assert.deepEqual([await may(a, inDefault), await may(a, inTwo)], [true, true]);
    const b = await join('b');
    await a.poll();
    await a.handOver(two, 'b');
    await b.poll();
    assert.deepEqual([await may(a, inDefault), await may(a, inTwo)], [true, false], 'not seen yet');
    await a.poll();
    assert.equal(await may(a, inTwo), true, 'another node may declare it as well');
    assert.equal(await may(b, inTwo), true);
    await database.write((sql) => leaveNodes(sql, nodeOf('a')));
    assert.equal(await may(a, inDefault), false);
  });

  it('are not taken until the change that their owner declares has ended', async () => {
    const a = await join('a', { onLost() {} });
    const repository = await repositoryIn(0);
    await join('b');
    const declared = Promise.withResolvers<boolean>();
    const end = Promise.withResolvers<void>();
    const ended: string[] = [];
    const change = database.write(
      async (sql) => {
        declared.resolve(await a.ownsShardOf(sql, repository));
        await end.promise;
      },
      { isolation: 'repeatable read' },
    );
    assert.equal(await declared.promise, true);
    await expire('a');
    const taken = database.write((sql) => takeShard(sql, nodeOf('b'), 0));
    const noted = Promise.all([
      change.then(() => ended.push('change')),
      taken.then(() => ended.push('taken')),
    ]);
    const waits = (): Promise<unknown> =>
      database.read((sql) => sql.get('select 1 as found from pg_locks where not granted'));
    while (ended.length === 0 && !(await waits()));
    end.resolve();
    await noted;
    assert.deepEqual([ended, await taken], [['change', 'taken'], 2]);
  });

  it('are not those of a change that began before another node took them', async () => {
    const a = await join('a', { onLost() {} });
    const repository = await repositoryIn(0);
    await join('b');
    let attempts = 0;
    const owned = database.write(
      async (sql) => {
        attempts += 1;
        // What it sees is of now.
        await sql.get('select 1 as found from nodes');
        if (attempts === 1) {
          await expire('a');
          await database.write((other) => takeShard(other, nodeOf('b'), 0));
        }
        return a.ownsShardOf(sql, repository);
      },
      { isolation: 'repeatable read' },
    );
    assert.deepEqual([await owned, attempts], [false, 2]);
  });

  it('are not taken for a while where git did not start', async () => {
    const two = await add('two');
    const a = await join('a');
    await a.giveUp(two);
    assert.deepEqual([ownedBy(a), a.owner(two)], [[0], undefined]);
    const b = await join('b');
    assert.deepEqual(ownedBy(b), [two]);
  });
});
