import { atMost } from '#platform/at-most.ts';
import type { Database, Sql } from '#platform/database/database.ts';
import { inBackground } from '#platform/in-background.ts';
import type { Log } from '#platform/log.ts';

import type { GitShard, ListedShard } from '../shards/shard-store.ts';
import { type ListedNode, type NewNode, setReached } from './node-store.ts';
import { handOver, takeShard, termForRefs } from './shard-owner-store.ts';
import {
  type Excess,
  excessOf,
  leavesToOther,
  mayHave,
  ownerOf,
  type View,
} from './shard-owners.ts';

export interface ShardOwnershipOptions {
  readonly database: Database;
  readonly node: NewNode;
  readonly log: Log;
  /** Whether the folder of a shard is here. */
  readonly reaches: (shard: GitShard) => Promise<boolean>;
  /** Nothing is handed over until nodes and owners have been the same for so long. */
  readonly steadyMilliseconds?: number;
  readonly probeMilliseconds?: number;
  readonly probeWaitMilliseconds?: number;
}

/** Time that the nodes of a cluster must have stayed the same before one gives up a shard that it has too many. */
const steadyMillisecondsDefault = 5000;
/** Time between two checks whether the folders of all shards are there. */
const probeMillisecondsDefault = 5000;
/** Time that such a look waits for one folder. */
const probeWaitMillisecondsDefault = 1000;
/** Folders that do not answer, beyond which no other is looked for: each takes one of the four threads that read files, or look up names. */
const silentMax = 2;
/** Time that a node leaves a free shard to nodes with fewer shards, which look within it. */
const courtesyMilliseconds = 400;
/** Time that a node leaves a shard to others after git did not start in its folder. */
const exclusionMilliseconds = 30_000;

/** Which node has which shard, and what this one does about it. */
export class ShardOwnership {
  readonly #options: ShardOwnershipOptions;
  #view: View;
  /** The terms of those that this process has. */
  readonly #owned = new Map<number, number>();
  readonly #unownedSince = new Map<number, number>();
  /** Until when this node does not take them, by the monotonic clock. */
  readonly #excluded = new Map<number, number>();
  #reached: readonly number[] = [];
  #probed = new Set<number>();
  #probedAt = -Infinity;
  #probing: Promise<void> | undefined;
  /** Folders that have not answered yet. */
  readonly #silent = new Set<number>();
  #steadySince = performance.now();

  constructor(options: ShardOwnershipOptions) {
    this.#options = options;
    this.#view = { self: options.node.serverId, nodes: [], shards: [] };
  }

  get #probeWaitMilliseconds(): number {
    return this.#options.probeWaitMilliseconds ?? probeWaitMillisecondsDefault;
  }

  get shards(): readonly ListedShard[] {
    return this.#view.shards;
  }

  /** The living node that has the shard; undefined while none has. */
  owner(shardId: number): ListedNode | undefined {
    const shard = this.#view.shards.find(({ id }) => id === shardId);
    return shard && ownerOf(this.#view, shard);
  }

  owns(shardId: number): boolean {
    return this.#owned.has(shardId);
  }

  /** Takes the shards that no node has, as far as this one may. */
  async update(nodes: readonly ListedNode[], shards: readonly ListedShard[]): Promise<void> {
    await this.#probe(shards);
    const before = this.#signature();
    this.#view = { self: this.#view.self, nodes: nodes.map((node) => this.#known(node)), shards };
    for (const id of this.#owned.keys())
      if (!shards.some((shard) => shard.id === id)) this.#owned.delete(id);
    try {
      for (const shard of shards) await this.#take(shard);
    } finally {
      if (this.#signature() !== before) this.#steadySince = performance.now();
    }
  }

  /** Whether there is a shard that this node would take. */
  waits(): boolean {
    return this.#view.shards.some(
      (shard) => !ownerOf(this.#view, shard) && this.#mayTake(shard.id, shard),
    );
  }

  /** Shards of this node whose folders were not there at the last look. */
  unreached(): readonly ListedShard[] {
    return this.#view.shards.filter(
      ({ id, folder }) =>
        folder !== undefined &&
        this.#owned.has(id) &&
        this.#probed.has(id) &&
        !this.#reached.includes(id),
    );
  }

  /** What this node should hand over now. */
  excess(): Excess | undefined {
    const { steadyMilliseconds = steadyMillisecondsDefault } = this.#options;
    if (performance.now() - this.#steadySince < steadyMilliseconds) return undefined;
    const excess = excessOf(this.#view);
    return excess && this.#owned.has(excess.shard.id) ? excess : undefined;
  }

  /** Another node may have it now; git has ended here. False: this node still has it. */
  async handOver(shardId: number, to: string): Promise<boolean> {
    const { database, node } = this.#options;
    const term = this.#owned.get(shardId);
    if (term === undefined) return false;
    const given = await database.write((sql) => handOver(sql, node, { shardId, term }, to));
    if (given) this.#owned.delete(shardId);
    return given;
  }

  /** This node does not take it for a while. */
  exclude(shardId: number): void {
    this.#excluded.set(shardId, performance.now() + exclusionMilliseconds);
  }

  /** Within a transaction: whether this node is alive, and knows who has the repository. */
  async isCurrent(sql: Sql, repositoryId: number): Promise<boolean> {
    const current = await termForRefs(sql, this.#options.node, repositoryId);
    const known = this.#view.shards.find(({ id }) => id === current?.shardId);
    return current !== undefined && current.term === known?.term;
  }

  async #take(shard: ListedShard): Promise<void> {
    const { database, node, log } = this.#options;
    const owner = ownerOf(this.#view, shard);
    if (owner?.serverId === node.serverId && this.#owned.get(shard.id) === shard.term) return;
    this.#owned.delete(shard.id);
    // Handed over to this node, or of a former incarnation, which has ended and its term with it.
    const isOurs = owner?.serverId === node.serverId;
    if (owner && !isOurs) {
      this.#unownedSince.delete(shard.id);
      return;
    }
    if (!this.#mayTake(shard.id, shard)) return;
    if (!isOurs && this.#leaves(shard)) return;
    const term = await database.write((sql) => takeShard(sql, node, shard.id));
    if (term === undefined) return;
    log.info({ term, shard: shard.name }, 'this node has the repositories');
    this.#unownedSince.delete(shard.id);
    this.#owned.set(shard.id, term);
    this.#view = {
      ...this.#view,
      shards: this.#view.shards.map((each) =>
        each.id === shard.id ? { ...each, serverId: node.serverId, term } : each,
      ),
    };
  }

  #mayTake(id: number, shard: ListedShard): boolean {
    const { address } = this.#options.node;
    const isExcluded = (this.#excluded.get(id) ?? 0) > performance.now();
    return !isExcluded && mayHave({ address, reaches: this.#reached }, shard);
  }

  /** For a moment, to a node with fewer. */
  #leaves(shard: ListedShard): boolean {
    const now = performance.now();
    const since = this.#unownedSince.get(shard.id) ?? now;
    this.#unownedSince.set(shard.id, since);
    return now - since < courtesyMilliseconds && leavesToOther(this.#view, shard);
  }

  /** Of itself, a node knows more than its row says. */
  #known(node: ListedNode): ListedNode {
    return node.serverId === this.#view.self ? { ...node, reaches: this.#reached } : node;
  }

  #signature(): string {
    const { nodes, shards } = this.#view;
    return JSON.stringify([
      nodes.map(({ serverId, address, serving, reaches }) => [serverId, address, serving, reaches]),
      shards.map(({ id, serverId, term }) => [id, serverId, term]),
    ]);
  }

  /** A volume that hangs must not hold the list of nodes up: the answer for a new shard is awaited, for a while. */
  async #probe(shards: readonly GitShard[]): Promise<void> {
    const others = shards.filter(({ folder }) => folder !== undefined);
    const isNew = others.some(({ id }) => !this.#probed.has(id));
    if (others.length + this.#reached.length === 0) return;
    const { probeMilliseconds = probeMillisecondsDefault } = this.#options;
    if (!isNew && performance.now() - this.#probedAt < probeMilliseconds) return;
    this.#probing ??= this.#probeAll(others).finally(() => (this.#probing = undefined));
    inBackground(this.#probing, (err) =>
      this.#options.log.warn({ err }, 'the folders of shards were not looked for'),
    );
    if (!isNew) return;
    await atMost(
      this.#probeWaitMilliseconds,
      this.#probing.catch(() => {}),
    );
  }

  async #probeAll(shards: readonly GitShard[]): Promise<void> {
    const { database, node } = this.#options;
    const found: number[] = [];
    for (const shard of shards) {
      const isReached = await this.#probeOne(shard);
      if (isReached ?? this.#reached.includes(shard.id)) found.push(shard.id);
    }
    this.#probed = new Set(shards.map(({ id }) => id));
    this.#probedAt = performance.now();
    const reached = found.toSorted((one, other) => one - other);
    if (reached.join() === this.#reached.join()) return;
    await database.write((sql) => setReached(sql, node, reached));
    this.#reached = reached;
  }

  /** Undefined: it does not answer, or was not asked. */
  async #probeOne(shard: GitShard): Promise<boolean | undefined> {
    if (this.#silent.has(shard.id) || this.#silent.size >= silentMax) return undefined;
    this.#silent.add(shard.id);
    const answer = this.#options.reaches(shard).finally(() => this.#silent.delete(shard.id));
    let isReached: boolean | undefined;
    await atMost(
      this.#probeWaitMilliseconds,
      answer.then((reached) => (isReached = reached)),
    );
    return isReached;
  }
}
