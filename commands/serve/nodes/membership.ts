import { setTimeout as delay } from 'node:timers/promises';

import type { Database, Sql } from '#platform/database/database.ts';
import { inBackground } from '#platform/in-background.ts';
import type { Log } from '#platform/log.ts';
import { OperatorError } from '#platform/operator-error.ts';

import {
  isLive,
  joinNodes,
  leaseMilliseconds,
  leaveNodes,
  type ListedNode,
  type NewNode,
  readNodes,
  removeDeadNode,
  renewNode,
  setServing,
  takeShard,
} from './node-store.ts';
import type { Node } from './nodes.ts';

export interface MembershipOptions {
  /** With connections of its own: a renewal must not wait behind the work of requests. It is closed at the end. */
  readonly database: Database;
  readonly node: NewNode;
  readonly log: Log;
  /** The lease could not be renewed in time: others take over, so this server must end at once. */
  readonly onLost: () => void;
  /** In the transaction that removes a dead node. */
  readonly releaseClaims: (sql: Sql, serverId: string) => Promise<void>;
  readonly renewMilliseconds?: number;
  readonly lookMilliseconds?: number;
}

const renewMillisecondsDefault = 2000;
/** After a renewal that failed: a database that crashed is back within seconds, and the lease must not end before. */
const retryMilliseconds = 250;
/** The node ends that long before others may take over, by its own clock. */
const marginMilliseconds = 2000;
const lookMillisecondsDefault = 1000;
/** While no node has the repositories. */
const hurriedMilliseconds = 200;
const watchMilliseconds = 250;

/** A server's part in its cluster: its lease, the list of all nodes, and whether it has the repositories. */
export class Membership {
  readonly #options: MembershipOptions;
  readonly #timers: NodeJS.Timeout[] = [];
  #retryTimer: NodeJS.Timeout | undefined;
  #renewalFailed = false;
  readonly #nodeListeners = new Set<() => void>();
  readonly #ownerListeners = new Set<() => void>();
  #nodes: readonly ListedNode[] = [];
  /** Undefined: this server does not have the repositories. */
  #term: number | undefined;
  #owner: ListedNode | undefined;
  /** By the monotonic clock. */
  #deadline: number;
  #renewing: Promise<void> | undefined;
  #looking: Promise<void> | undefined;
  #lookTimer: NodeJS.Timeout | undefined;
  #closed = false;

  private constructor(options: MembershipOptions, asked: number) {
    this.#options = options;
    this.#deadline = deadlineOf(asked);
  }

  /** Joins the cluster. Refused while a server that is alone uses the database. */
  static async join(options: MembershipOptions): Promise<Membership> {
    const { renewMilliseconds = renewMillisecondsDefault } = options;
    try {
      const membership = new Membership(options, await joined(options));
      membership.#repeat(renewMilliseconds, () => membership.#beginRenewal());
      membership.#repeat(watchMilliseconds, () => membership.#watch());
      await membership.look();
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

  /** The node that has the repositories; undefined while none has. */
  owner(): Node | undefined {
    return this.#owner;
  }

  /** Whether this server has the repositories. */
  owns(): boolean {
    return this.#term !== undefined && this.isCurrent();
  }

  /** False: others may take this server for dead, and it is about to end. */
  isCurrent(): boolean {
    return performance.now() < this.#deadline;
  }

  onNodes(listener: () => void): () => void {
    this.#nodeListeners.add(listener);
    return () => this.#nodeListeners.delete(listener);
  }

  onOwner(listener: () => void): () => void {
    this.#ownerListeners.add(listener);
    return () => this.#ownerListeners.delete(listener);
  }

  /** Within a transaction: whether this server may declare changes of refs. */
  mayChangeRefs(sql: Sql): Promise<boolean> {
    return isLive(sql, this.#options.node);
  }

  /** From now on the others pass requests on to this server, or do so no more. */
  async serve(serving: boolean): Promise<void> {
    const { database, node } = this.#options;
    await database.write((sql) => setServing(sql, node, serving));
    await this.look();
  }

  /** Reads the list; takes the repositories where no node has them. */
  async look(): Promise<void> {
    // What is under way may have read before what the caller knows of.
    await this.#looking;
    this.#looking ??= this.#lookOnce();
    await this.#looking;
  }

  /** Gives up the lease and what comes with it, and closes the database. */
  async leave(): Promise<void> {
    const { database, node } = this.#options;
    this.#closed = true;
    clearTimeout(this.#lookTimer);
    clearTimeout(this.#retryTimer);
    for (const timer of this.#timers) clearInterval(timer);
    await this.#renewing;
    await this.#looking;
    try {
      await database.write((sql) => leaveNodes(sql, node));
    } finally {
      await database.close();
    }
  }

  #repeat(milliseconds: number, work: () => void): void {
    this.#timers.push(setInterval(work, milliseconds));
  }

  #beginRenewal(): void {
    this.#renewing ??= this.#renew();
  }

  async #renew(): Promise<void> {
    const { database, node, log } = this.#options;
    const asked = performance.now();
    try {
      if (await database.write((sql) => renewNode(sql, node))) this.#deadline = deadlineOf(asked);
      else this.#lose('the lease was over before it was renewed');
      this.#renewalFailed = false;
    } catch (err) {
      if (!this.#renewalFailed)
        log.warn({ err, leaseMilliseconds }, 'the lease of this node was not renewed; retrying');
      this.#renewalFailed = true;
      if (!this.#closed)
        this.#retryTimer = setTimeout(() => this.#beginRenewal(), retryMilliseconds);
    } finally {
      this.#renewing = undefined;
    }
  }

  #watch(): void {
    if (!this.isCurrent()) this.#lose('the lease could not be renewed in time');
  }

  #lose(reason: string): void {
    for (const timer of this.#timers) clearInterval(timer);
    if (this.#closed) return;
    this.#options.log.error({ reason }, 'other nodes may take over: this one ends');
    this.#options.onLost();
  }

  async #lookOnce(): Promise<void> {
    const { log, lookMilliseconds = lookMillisecondsDefault } = this.#options;
    clearTimeout(this.#lookTimer);
    try {
      await this.#update();
    } catch (err) {
      log.warn({ err }, 'the list of nodes was not read');
    } finally {
      this.#looking = undefined;
    }
    if (this.#closed) return;
    // As soon as the lease of the owner ends, unless it is renewed.
    const next = this.#owner ? this.#owner.remainingMilliseconds + 20 : hurriedMilliseconds;
    const pause = Math.min(next, lookMilliseconds);
    this.#lookTimer = setTimeout(() => inBackground(this.look()), pause);
  }

  async #update(): Promise<void> {
    const { database, node, log } = this.#options;
    const { nodes, owner } = await database.read(readNodes);
    const live = nodes.filter(({ remainingMilliseconds }) => remainingMilliseconds > 0);
    const had = live.find(({ owns }) => owns);
    // Of a former incarnation of this server: it has ended, and its term with it.
    const isOurs = had?.serverId === node.serverId && owner?.term !== this.#term;
    let current = isOurs ? undefined : had;
    if (!current && !this.#closed) {
      const term = await database.write((sql) => takeShard(sql, node));
      if (term !== undefined) {
        log.info({ term }, 'this node has the repositories');
        this.#term = term;
        current = live.find(({ serverId }) => serverId === node.serverId);
      }
    }
    if (current?.serverId !== node.serverId) this.#term = undefined;
    this.#store(live, current);
    for (const { serverId, name } of nodes) {
      if (!this.isLive(serverId)) await this.#bury(serverId, name);
    }
  }

  #store(nodes: readonly ListedNode[], owner: ListedNode | undefined): void {
    const before = namesOf(this.#nodes);
    const [ownerBefore] = [namesOf(this.#owner ? [this.#owner] : [])];
    this.#nodes = nodes;
    this.#owner = owner;
    if (namesOf(nodes) !== before) for (const listener of this.#nodeListeners) listener();
    if (namesOf(owner ? [owner] : []) === ownerBefore) return;
    for (const listener of this.#ownerListeners) listener();
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

function deadlineOf(asked: number): number {
  return asked + leaseMilliseconds - marginMilliseconds;
}

function namesOf(nodes: readonly ListedNode[]): string {
  return nodes
    .map((node) => JSON.stringify([node.serverId, node.name, node.address, node.serving]))
    .join();
}

/** Waits until the lease of a server that was alone and died has run out. Resolves with the time at which it asked. */
async function joined({ database, node, log }: MembershipOptions): Promise<number> {
  let first: number | undefined;
  for (;;) {
    const asked = performance.now();
    const result = await database.write((sql) => joinNodes(sql, node));
    if (result.kind === 'joined') return asked;
    const { name, until, remainingMilliseconds } = result;
    if (first !== undefined && until > first) {
      throw new OperatorError(
        `The server "${name}" uses this database alone. Start it as a node of the cluster, with --node-address and --cluster-data, or stop it.`,
      );
    }
    if (first === undefined)
      log.info({ name, remainingMilliseconds }, 'waiting for a lease to end');
    first ??= until;
    await delay(Math.min(remainingMilliseconds + 50, 500));
  }
}
