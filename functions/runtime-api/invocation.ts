import type { Connection } from './connection.ts';
import type { RuntimeAnswer, RuntimeEvent } from './runtime-channel.ts';

/** An event from when it is handed in until it is answered. */
export interface Invocation {
  readonly event: RuntimeEvent;
  state: InvocationState;
  /** The connection that the event went out on. */
  sentOn: Connection | undefined;
  settle(answer: RuntimeAnswer): void;
}

/** The names show in refusals. */
export type InvocationState =
  | 'Running'
  | 'InvocationResponse'
  | 'InvocationErrorResponse'
  | 'ResponseSent';

/** Ids that were answered a moment ago, so that a second answer is told what is wrong with it. */
export class RecentlyAnswered {
  readonly #ids = new Set<string>();
  readonly #max: number;

  constructor(max: number) {
    this.#max = max;
  }

  add(requestId: string): void {
    this.#ids.add(requestId);
    if (this.#ids.size <= this.#max) return;
    const [oldest] = this.#ids;
    if (oldest !== undefined) this.#ids.delete(oldest);
  }

  has(requestId: string): boolean {
    return this.#ids.has(requestId);
  }
}
