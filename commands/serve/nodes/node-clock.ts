import { type Clock, systemClock } from '#platform/clock.ts';
import type { Database } from '#platform/database/database.ts';
import type { Log } from '#platform/log.ts';
import { OperatorError } from '#platform/operator-error.ts';

import { databaseNow } from './node-store.ts';

/**
 * Difference between the clocks of a node and its database above which the node does not start, or takes no requests while another node
 * does. Claims of deliveries and events are good for a minute by the clock of the node that has them, and are renewed every 20 seconds.
 */
const refusedMilliseconds = 30_000;
/** Difference between the clocks of a node and its database above which the node reports it. */
const reportedMilliseconds = 1000;

type ClockState = 'right' | 'differs' | 'wrong';

/**
 * The clock of a node, compared with that of the database, which all nodes have: one whose clock is wrong takes over what others are
 * working on, or waits with what is due.
 */
export class NodeClock {
  readonly #clock: Clock;
  readonly #log: Pick<Log, 'info' | 'warn' | 'error'>;
  #state: ClockState = 'right';

  constructor({
    clock = systemClock,
    log,
  }: {
    readonly clock?: Clock | undefined;
    readonly log: Pick<Log, 'info' | 'warn' | 'error'>;
  }) {
    this.#clock = clock;
    this.#log = log;
  }

  now(): number {
    return this.#clock.now();
  }

  /** Not while it differs so much that the node would not start. */
  isRight(): boolean {
    return this.#state !== 'wrong';
  }

  /** Refuses a node whose clock is wrong. */
  async check(database: Pick<Database, 'read'>): Promise<void> {
    const before = this.now();
    const ahead = this.#ahead(before, await database.read(databaseNow));
    if (Math.abs(ahead) > refusedMilliseconds) {
      const { seconds, direction } = shown(ahead);
      throw new OperatorError(
        `The clock of this machine is ${seconds} seconds ${direction} that of the database. Synchronize the clocks, for example with chrony, then start the node.`,
      );
    }
    this.#change(ahead);
  }

  /** What the database answered to a statement that was sent no earlier than `before`. Reports what has changed. */
  compare(before: number, databaseTime: number): void {
    this.#change(this.#ahead(before, databaseTime));
  }

  /** 0 where the time of the database lies between question and answer. */
  #ahead(before: number, databaseTime: number): number {
    return Math.max(before - databaseTime, 0) + Math.min(this.now() - databaseTime, 0);
  }

  #change(ahead: number): void {
    const state = nextState(this.#state, Math.abs(ahead));
    if (state === this.#state) return;
    this.#state = state;
    if (state === 'right')
      this.#log.info({}, 'the clock of this machine agrees with that of the database again');
    else if (state === 'differs')
      this.#log.warn(
        shown(ahead),
        'the clock of this machine differs from that of the database: synchronize them',
      );
    else
      this.#log.error(
        shown(ahead),
        `the clock of this machine differs from that of the database by more than ${refusedMilliseconds / 1000} seconds: synchronize them; until then this node takes no requests while others do`,
      );
  }
}

/** A difference near a limit is not reported again and again: a state ends at half of the limit that it began at. */
function nextState(state: ClockState, difference: number): ClockState {
  const isAbove = (limit: number, was: boolean): boolean => difference > (was ? limit / 2 : limit);
  if (isAbove(refusedMilliseconds, state === 'wrong')) return 'wrong';
  return isAbove(reportedMilliseconds, state !== 'right') ? 'differs' : 'right';
}

function shown(ahead: number): { readonly seconds: number; readonly direction: string } {
  return {
    seconds: Math.round(Math.abs(ahead) / 1000),
    direction: ahead > 0 ? 'ahead of' : 'behind',
  };
}
