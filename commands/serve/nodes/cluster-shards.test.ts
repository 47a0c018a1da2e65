import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { TLSSocket } from 'node:tls';

import { createLog } from '#platform/log.ts';

import { GitShards } from '../shards/git-shards.ts';
import type { ListedShard } from '../shards/shard-store.ts';
import { ClusterGit } from './cluster-git.ts';
import { ClusterShards } from './cluster-shards.ts';
import type { ListedNode } from './node-store.ts';

const nodeOf = (serverId: string): ListedNode => ({
  serverId,
  name: serverId,
  address: `${serverId}:1`,
  version: '1',
  serving: true,
  remainingMilliseconds: 10_000,
  owns: [],
  reaches: [7],
});
const [self, next, third] = [nodeOf('self'), nodeOf('next'), nodeOf('third')];
const shard: ListedShard = {
  id: 7,
  name: 'seven',
  folder: '/nonexistent',
  folderKey: undefined,
  nodeAddresses: undefined,
  acceptsNew: true,
  serverId: self.serverId,
  term: 1,
};

/** A node that has shard 7. What happens is in `events`; the database answers when a test says so. */
class TestNode {
  readonly events: string[] = [];
  readonly notices: string[] = [];
  owners = new Map([
    [0, next],
    [7, self],
  ]);
  owned = true;
  isUnreached = false;
  hasExcess = false;
  othersAnswer = Promise.resolve();
  #poll = (): void => {};
  #noted = Promise.withResolvers<void>();
  #write = Promise.withResolvers<boolean>();
  readonly git = new GitShards<ClusterGit>(
    ({ id }) =>
      new ClusterGit({
        socketPath: '/nonexistent/socket',
        patienceMilliseconds: 1,
        begin: () => {
          this.#note(`git of ${id} begins`);
          return {
            ready: Promise.resolve(),
            whenReady: async () => {},
            statistics: () => ({
              callsInProgress: 0,
              restarts: 0,
              isAvailable: !this.isUnreached,
            }),
            close: async () => this.#note(`git of ${id} ends`),
          };
        },
      }),
  );
  readonly shards = new ClusterShards({
    self: self.serverId,
    git: this.git,
    membership: {
      onOwner: (listener) => {
        this.#poll = listener;
        return () => {};
      },
      shards: () => [shard],
      owner: (id) => this.owners.get(id),
      owns: (id) => id === 7 && this.owned,
      unreached: () => (this.isUnreached ? [shard] : []),
      isCurrent: () => true,
      excess: () => (this.hasExcess ? { shard, to: next } : undefined),
      handOver: () => this.#written(),
      giveUp: async () => void (await this.#written()),
    },
    log: createLog('silent'),
    dial: () => new TLSSocket(connect('/nonexistent/other')),
    notifyOthers: async (notice) => {
      this.notices.push(notice);
      this.#note(notice);
      await this.othersAnswer;
    },
    onLost: () => this.#note('the node is killed'),
    onFailure: () => this.#note('the node stops'),
    spreadMilliseconds: 1,
  });

  /** Another node owns the shard, or this one, as a poll sees it. */
  sees(id: number, owner: ListedNode, owned = false): void {
    this.owners.set(id, owner);
    if (id === 7) this.owned = owned;
    this.#poll();
  }

  answers(given: boolean): void {
    const write = this.#write;
    this.#write = Promise.withResolvers();
    write.resolve(given);
  }

  fails(): void {
    const write = this.#write;
    this.#write = Promise.withResolvers();
    write.reject(new Error('The connection broke.'));
  }

  async until(event: string, times = 1): Promise<void> {
    while (this.events.filter((each) => each === event).length < times) await this.#noted.promise;
  }

  /** Without the notices. */
  happened(): readonly string[] {
    return this.events.filter((event) => !this.notices.includes(event));
  }

  async close(): Promise<void> {
    this.hasExcess = false;
    this.isUnreached = false;
    this.answers(false);
    await this.shards.stop();
    await this.git.close();
  }

  #note(event: string): void {
    this.events.push(event);
    this.#noted.resolve();
    this.#noted = Promise.withResolvers();
  }

  #written(): Promise<boolean> {
    this.#note('the owner is written');
    this.hasExcess = false;
    return this.#write.promise;
  }
}

describe('a shard that leaves this node', () => {
  let node: TestNode;
  beforeEach(() => {
    node = new TestNode();
  });
  afterEach(() => node.close());

  const [begins, ends, written] = ['git of 7 begins', 'git of 7 ends', 'the owner is written'];
  const leaves = [begins, ends, written];
  const handOver = async (): Promise<void> => {
    node.hasExcess = true;
    await node.until(written);
  };

  it('has its own calls wait while those of others end', async () => {
    const answers = Promise.withResolvers<void>();
    node.othersAnswer = answers.promise;
    node.hasExcess = true;
    await node.until('pause 7');
    const call = node.git.of(7)?.connection.call(1, 'listRefs', ['refs/']);
    await assert.rejects(call ?? assert.fail(), /No server has the shard/);
    answers.resolve();
    await node.until(written);
  });

  it('is not started again while another shard changes its owner', async () => {
    await handOver();
    node.sees(0, third);
    node.sees(7, next);
    node.answers(true);
    await node.shards.stop();
    assert.deepEqual(node.happened(), leaves);
  });

  it('is not started again while it is given up and another one changes its owner', async () => {
    node.isUnreached = true;
    await node.until(written);
    node.sees(0, third);
    node.sees(7, next);
    node.answers(true);
    node.isUnreached = false;
    await node.shards.stop();
    assert.deepEqual(node.happened(), leaves);
  });

  it('stays where the next owner does not get it', async () => {
    await handOver();
    node.sees(0, third);
    node.answers(false);
    await node.until(begins, 2);
    assert.deepEqual(node.happened(), [...leaves, begins]);
    await node.shards.stop();
    assert.deepEqual(node.notices, ['pause 7', 'look', 'resume 7']);
  });

  it('has calls that wait where its owner is not known', async () => {
    await handOver();
    node.fails();
    await node.until(written, 2);
    node.owned = false;
    node.sees(7, next);
    node.answers(false);
    await node.shards.stop();
    assert.deepEqual(node.notices, ['pause 7', 'look']);
  });

  it('is started again when it is handed back at once', async () => {
    await handOver();
    node.sees(7, next);
    node.sees(7, self, true);
    node.answers(true);
    await node.shards.stop();
    assert.deepEqual(node.happened(), [...leaves, begins]);
  });

  it('is not started again before the database has answered a write that failed', async () => {
    await handOver();
    // Committed, but the answer was lost.
    node.fails();
    node.sees(0, third);
    await node.until(written, 2);
    node.sees(7, next);
    node.answers(false);
    await node.shards.stop();
    assert.deepEqual(node.happened(), [...leaves, written]);
  });

  it('is not started again by a node that stops without an answer', async () => {
    await handOver();
    const stopped = node.shards.stop();
    node.fails();
    await stopped;
    node.sees(0, third);
    assert.deepEqual(node.happened(), leaves);
  });

  it('is not started again by a node whose lease is over', async () => {
    await handOver();
    node.owned = false;
    node.sees(0, third);
    node.answers(false);
    await node.shards.stop();
    assert.deepEqual(node.happened(), leaves);
  });
});
