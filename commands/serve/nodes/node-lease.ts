import type { Database } from '#platform/database/database.ts';
import type { Log } from '#platform/log.ts';

import type { NodeClock } from './node-clock.ts';
import { leaseMilliseconds, type NewNode, renewNode } from './node-store.ts';

export interface NodeLeaseOptions {
  /** With connections of its own: a renewal must not wait behind the work of requests. */
  readonly database: Pick<Database, 'write'>;
  readonly node: NewNode;
  readonly log: Log;
  /** The lease could not be renewed in time: others take over, so this server must end at once. */
  readonly onLost: () => void;
  readonly renewMilliseconds?: number;
}

/** Time between two renewals of a node's lease. */
const renewMillisecondsDefault = 2000;
/** Pause after a renewal of the lease that failed: a database that crashed is back within seconds. */
const retryMilliseconds = 250;
/**
 * Time before the end of its lease at which a node that could not renew it ends itself, by its own clock: no other may take
 * over before.
 */
const marginMilliseconds = 2000;
/** Time between two checks by a node of its own lease. */
const watchMilliseconds = 250;

/** The lease of this node, which it renews until it ends. */
export class NodeLease {
  readonly #options: NodeLeaseOptions;
  readonly #clock: NodeClock;
  readonly #timers: NodeJS.Timeout[] = [];
  #retryTimer: NodeJS.Timeout | undefined;
  #lastFailed = false;
  #failures = 0;
  /** By the monotonic clock. */
  #deadline = -Infinity;
  #renewing: Promise<void> | undefined;
  /** Ended, or lost. */
  #stopped = false;

  constructor(options: NodeLeaseOptions, clock: NodeClock) {
    this.#options = options;
    this.#clock = clock;
  }

  /** `asked`: when the database was asked for it, by the monotonic clock. */
  begin(asked: number): void {
    const { renewMilliseconds = renewMillisecondsDefault } = this.#options;
    this.#deadline = deadlineOf(asked);
    this.#timers.push(
      setInterval(() => this.#beginRenewal(), renewMilliseconds),
      setInterval(() => this.#watch(), watchMilliseconds),
    );
  }

  /** False: others may take this server for dead, and it is about to end. */
  isCurrent(): boolean {
    return performance.now() < this.#deadline;
  }

  /** Time after which this server ends itself unless it renews the lease. */
  get remainingSeconds(): number {
    return Math.max(0, (this.#deadline - performance.now()) / 1000);
  }

  /** How many renewals have failed since the start. */
  get failures(): number {
    return this.#failures;
  }

  /** Renews it no more. */
  async end(): Promise<void> {
    this.#stop();
    await this.#renewing;
  }

  #beginRenewal(): void {
    if (!this.#stopped) this.#renewing ??= this.#renew();
  }

  async #renew(): Promise<void> {
    const { database, node, log } = this.#options;
    const [asked, before] = [performance.now(), this.#clock.now()];
    try {
      const { renewed, databaseTime } = await database.write((sql) => renewNode(sql, node));
      if (renewed) this.#deadline = deadlineOf(asked);
      else this.#lose('the lease was over before it was renewed');
      this.#clock.compare(before, databaseTime);
      this.#lastFailed = false;
    } catch (err) {
      if (!this.#lastFailed)
        log.warn({ err, leaseMilliseconds }, 'the lease of this node was not renewed; retrying');
      this.#lastFailed = true;
      this.#failures += 1;
      // One may wait already: the interval has begun this renewal then.
      clearTimeout(this.#retryTimer);
      if (!this.#stopped)
        this.#retryTimer = setTimeout(() => this.#beginRenewal(), retryMilliseconds);
    } finally {
      this.#renewing = undefined;
    }
  }

  #watch(): void {
    if (!this.isCurrent()) this.#lose('the lease could not be renewed in time');
  }

  #lose(reason: string): void {
    if (this.#stopped) return;
    this.#stop();
    this.#options.log.error({ reason }, 'other nodes may take over: this one ends');
    this.#options.onLost();
  }

  #stop(): void {
    this.#stopped = true;
    clearTimeout(this.#retryTimer);
    for (const timer of this.#timers) clearInterval(timer);
  }
}

function deadlineOf(asked: number): number {
  return asked + leaseMilliseconds - marginMilliseconds;
}
