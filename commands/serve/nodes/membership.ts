import type { Clock } from '#platform/clock.ts';
import type { Database, Sql } from '#platform/database/database.ts';
import { inBackground } from '#platform/in-background.ts';
import { storageFailure } from '#platform/storage-failure.ts';

import { type ListedShard, listShards } from '../shards/shard-store.ts';
import { ChangeNotifier } from './change-notifier.ts';
import {
  leaseMilliseconds,
  leaveNodes,
  type ListedNode,
  readNodes,
  removeDeadNode,
  setServing,
} from './node-store.ts';
import { joinWhenFree } from './join-when-free.ts';
import { NodeLease, type NodeLeaseOptions } from './node-lease.ts';
import { NodeClock } from './node-clock.ts';
import { keyOf, type Node } from './nodes.ts';
import { ShardOwnership, type ShardOwnershipOptions } from './shard-ownership.ts';
import type { Excess } from './shard-owners.ts';

export interface MembershipOptions
  extends
    NodeLeaseOptions,
    Pick<
      ShardOwnershipOptions,
      'reaches' | 'steadyMilliseconds' | 'probeMilliseconds' | 'probeWaitMilliseconds'
    > {
  /** It is closed at the end. */
  readonly database: Database;
  /** In the transaction that removes a dead node. */
  readonly releaseClaims: (sql: Sql, serverId: string) => Promise<void>;
  /** That of the machine, where absent. */
  readonly clock?: Clock;
  readonly pollMilliseconds?: number;
}

/** Age of a node's list of the other nodes. */
const pollMillisecondsDefault = 1000;
/** Age of that list while no node has a shard that this one may have. */
const hurriedMilliseconds = 200;

/** A server's part in its cluster: its lease, the list of all nodes, and which shards it has. */
export class Membership {
  readonly #options: MembershipOptions;
  readonly clock: NodeClock;
  readonly lease: NodeLease;
  readonly #nodesChanged = new ChangeNotifier();
  readonly #ownersChanged = new ChangeNotifier();
  readonly #ownership: ShardOwnership;
  readonly onNodes = (listener: () => void): (() => void) => this.#nodesChanged.listen(listener);
  readonly onOwner = (listener: () => void): (() => void) => this.#ownersChanged.listen(listener);
  #nodes: readonly ListedNode[] = [];
  #polling: Promise<void> | undefined;
  #pollTimer: NodeJS.Timeout | undefined;
  #closed = false;

  private constructor(options: MembershipOptions) {
    this.#options = options;
    this.clock = new NodeClock(options);
    this.lease = new NodeLease(options, this.clock);
    this.#ownership = new ShardOwnership(options);
  }

  /** Joins the cluster. Refused while a server that is alone uses the database. */
  static async join(options: MembershipOptions): Promise<Membership> {
    try {
      const membership = new Membership(options);
      membership.lease.begin(await joinWhenFree(options, membership.clock));
      await membership.poll();
      return membership;
    } catch (error) {
      await options.database.close();
      throw error;
    }
  }

  /** Those that take requests. */
  serving(): readonly Node[] {
    return this.#nodes.filter(({ serving }) => serving);
  }

  /** Every node whose lease is valid, by its id. */
  isLive(serverId: string): boolean {
    return this.#nodes.some((node) => node.serverId === serverId);
  }

  /** Those with valid leases, this one excluded. */
  others(): readonly Node[] {
    return this.#nodes.filter(({ serverId }) => serverId !== this.#options.node.serverId);
  }

  shards(): readonly ListedShard[] {
    return this.#ownership.shards;
  }

  /** The node that has the shard; undefined while none has. */
  owner(shardId: number): Node | undefined {
    return this.#ownership.owner(shardId);
  }

  /** Whether this server has the shard. */
  owns(shardId: number): boolean {
    return this.#ownership.owns(shardId) && this.isCurrent();
  }

  /** Shards of this node whose folders are gone. */
  unreached(): readonly ListedShard[] {
    return this.#ownership.unreached();
  }

  /** A shard that another node should get from this one. */
  excess(): Excess | undefined {
    return this.#ownership.excess();
  }

  /** Ends the ownership of a shard in peace. False: this server still has it. */
  async handOver(shardId: number, to: string): Promise<boolean> {
    const given = await this.#ownership.handOver(shardId, to);
    await this.poll();
    return given;
  }

  /** git does not start in this shard's folder: another node may have it. */
  async giveUp(shardId: number): Promise<void> {
    this.#ownership.exclude(shardId);
    await this.handOver(shardId, '');
  }

  /** False: others may take this server for dead, and it is about to end. */
  isCurrent(): boolean {
    return this.lease.isCurrent();
  }

  /** Within a transaction: whether this server may declare changes of the repository's refs. */
  ownsShardOf(sql: Sql, repositoryId: number): Promise<boolean> {
    return this.#ownership.isCurrent(sql, repositoryId);
  }

  /** From now on the others forward requests to this server, or do so no more. */
  async serve(serving: boolean): Promise<void> {
    const { database, node } = this.#options;
    await database.write((sql) => setServing(sql, node, serving));
    await this.poll();
  }

  /** Reads the list; takes the shards that no node has. */
  async poll(): Promise<void> {
    // What is under way may have read before what the caller knows of.
    await this.#polling;
    this.#polling ??= this.#pollOnce();
    await this.#polling;
  }

  /** Gives up the lease and what comes with it, and closes the database. */
  async leave(): Promise<void> {
    const { database, node, log } = this.#options;
    this.#closed = true;
    clearTimeout(this.#pollTimer);
    await this.lease.end();
    await this.#polling;
    try {
      await database.write((sql) => leaveNodes(sql, node));
    } catch (err) {
      if (storageFailure(err) === undefined) throw err;
      // Nothing is lost by it: the others wait until the lease has run out.
      log.warn({ err, leaseMilliseconds }, 'the lease of this node was not given up');
    } finally {
      await database.close();
    }
  }

  async #pollOnce(): Promise<void> {
    const { log, pollMilliseconds = pollMillisecondsDefault } = this.#options;
    clearTimeout(this.#pollTimer);
    try {
      await this.#update();
    } catch (err) {
      log.warn({ err }, 'the list of nodes was not read');
    } finally {
      this.#polling = undefined;
    }
    if (this.#closed) return;
    const pause = Math.min(this.#nextPoll(), pollMilliseconds);
    this.#pollTimer = setTimeout(() => inBackground(this.poll()), pause);
  }

  /** As soon as the lease of an owner ends, unless it is renewed. */
  #nextPoll(): number {
    if (this.#ownership.waits()) return hurriedMilliseconds;
    const owners = this.#nodes.filter(({ owns }) => owns.length > 0);
    return Math.min(...owners.map(({ remainingMilliseconds }) => remainingMilliseconds + 20));
  }

  async #update(): Promise<void> {
    const { nodes, shards } = await this.#options.database.read(async (sql) => {
      const listed = await listShards(sql);
      return { nodes: await readNodes(sql, listed), shards: listed };
    });
    const live = nodes.filter(({ remainingMilliseconds }) => remainingMilliseconds > 0);
    this.#nodes = live;
    try {
      if (!this.#closed) await this.#ownership.update(live, shards);
    } finally {
      // Also where a shard could not be taken: what changed before it is seen by now.
      this.#nodesChanged.update(live.map(keyOf).join());
      this.#ownersChanged.update(this.#owners());
    }
    for (const { serverId, name } of nodes) {
      if (!this.isLive(serverId)) await this.#bury(serverId, name);
    }
  }

  #owners(): string {
    return this.shards()
      .map(({ id }) => {
        const owner = this.owner(id);
        return `${id} ${owner ? keyOf({ ...owner, serving: true }) : ''} ${this.owns(id)}`;
      })
      .join();
  }

  async #bury(serverId: string, name: string): Promise<void> {
    const { database, log, releaseClaims } = this.#options;
    const removed = await database.write(async (sql) => {
      if (!(await removeDeadNode(sql, serverId))) return false;
      await releaseClaims(sql, serverId);
      return true;
    });
    if (removed) log.warn({ node: name }, 'a node has ended; others take over its work');
  }
}
