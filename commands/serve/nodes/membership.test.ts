import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'node:test';

import type { Database } from '#platform/database/database.ts';
import { createLog } from '#platform/log.ts';
import { openTestDatabase, testPostgresUrl } from '#platform/testing/test-database.ts';

import { releaseLease, takeLease } from './lease-store.ts';
import { Membership, type MembershipOptions } from './membership.ts';
import { leaveNodes, readNodes, renewNode, takeShard } from './node-store.ts';

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
      lookMilliseconds: 3_600_000,
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
    assert.deepEqual([a.owns(), b.owns()], [false, true]);
    assert.equal(a.owner()?.address, 'b.test:1');
    assert.deepEqual(idsOf(a.serving()), [], 'none takes requests yet');
    let changes = 0;
    a.onNodes(() => (changes += 1));
    await b.serve(true);
    await a.serve(true);
    assert.deepEqual(idsOf(a.serving()), ['a', 'b']);
    assert.equal(changes, 1);
    await a.look();
    assert.equal(changes, 1, 'nothing has changed');
    await b.serve(false);
    await a.look();
    assert.deepEqual(idsOf(a.serving()), ['a']);
    assert.equal(a.isLive('b'), true);
    assert.equal(a.owner()?.serverId, 'b', 'it stops, and has the repositories until it ends');
  });

  it('take over from one that leaves or dies, and release its claims once', async () => {
    const a = await join('a');
    const b = await join('b');
    const c = await join('c');
    await a.leave();
    open.shift();
    let owners = 0;
    b.onOwner(() => (owners += 1));
    await b.look();
    await c.look();
    assert.deepEqual([b.owns(), c.owns(), owners], [true, false, 1]);
    assert.deepEqual(released, ['a']);
    await database.write((sql) => leaveNodes(sql, nodeOf('b')));
    await c.look();
    assert.equal(c.owns(), true);
    assert.deepEqual(released, ['a', 'b']);
    const { nodes, owner } = await database.read(readNodes);
    assert.deepEqual([idsOf(nodes), owner?.term], [['c'], 3]);
  });

  it('ends itself when its lease was over, and changes nothing after that', async () => {
    const lost = Promise.withResolvers<void>();
    const a = await join('a', { renewMilliseconds: 10, onLost: lost.resolve });
    await expire('a');
    await lost.promise;
    assert.equal(await database.read((sql) => a.mayChangeRefs(sql)), false);
    assert.equal(await database.write((sql) => renewNode(sql, nodeOf('a'))), false);
    assert.equal(await database.write((sql) => takeShard(sql, nodeOf('a'))), undefined);
  });

  it('has what its former incarnation had, which may do nothing more', async () => {
    await join('a');
    const next = await join('a', { node: { ...nodeOf('a'), incarnation: 'the next' } });
    assert.equal(next.owns(), true);
    assert.equal((await database.read(readNodes)).owner?.term, 2);
    const former = nodeOf('a');
    assert.equal(await database.write((sql) => renewNode(sql, former)), false);
    assert.equal(await database.write((sql) => takeShard(sql, former)), undefined);
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
