import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';

import { functionCallerOf } from '#platform/function-caller.ts';
import { onResponseEnd } from '#platform/response-end.ts';

import { ControlRefusal } from './control-request.ts';

/** Time that a pause waits for requests under way. */
const drainMilliseconds = 5000;

/** What happens to those that take longer: their connections are broken off, or the pause ends and the work is refused. */
export type SlowRequests = 'broken off' | 'waited for';

/**
 * Holds requests back while the services are replaced under them: each comes entirely before or entirely after. Requests of functions
 * pass until those under way have ended, because these may wait for them.
 */
export class PausableHandler {
  #next: RequestListener = refuseUnlessRunning;
  /** While it is paused: resolves when it resumes. */
  #resumed: PromiseWithResolvers<void> | undefined;
  #drained = false;
  #turn: Promise<unknown> = Promise.resolve();
  readonly #underWay = new Map<ServerResponse, IncomingMessage>();
  #onNone: () => void = () => {};
  readonly #patience: number;

  constructor(patience: number = drainMilliseconds) {
    this.#patience = patience;
  }

  /** Passes requests to this one from now on. */
  readonly setHandler = (next: RequestListener): void => {
    this.#next = next;
  };

  readonly handle: RequestListener = (request, response) => {
    const waits = this.#resumed && (this.#drained || !functionCallerOf(request));
    if (!waits) {
      this.#pass(request, response);
      return;
    }
    this.#resumed?.promise.then(
      () => this.handle(request, response),
      () => response.destroy(),
    );
  };

  /** Resolves when it is not paused. */
  async resumed(): Promise<void> {
    while (this.#resumed) await this.#resumed.promise;
  }

  /** Pauses, waits for the requests under way, does the work, and resumes. One at a time. */
  pausedDuring<T>(slow: SlowRequests, work: () => Promise<T>): Promise<T> {
    const turn = this.#turn.then(() => this.#pausedDuring(slow, work));
    this.#turn = turn.catch(() => {});
    return turn;
  }

  async #pausedDuring<T>(slow: SlowRequests, work: () => Promise<T>): Promise<T> {
    const resumed = Promise.withResolvers<void>();
    this.#resumed = resumed;
    try {
      await this.#drain(slow);
      this.#drained = true;
      return await work();
    } finally {
      this.#resumed = undefined;
      this.#drained = false;
      resumed.resolve();
    }
  }

  #pass(request: IncomingMessage, response: ServerResponse): void {
    this.#underWay.set(response, request);
    onResponseEnd(response, () => {
      this.#underWay.delete(response);
      if (this.#underWay.size === 0) this.#onNone();
    });
    this.#next(request, response);
  }

  async #drain(slow: SlowRequests): Promise<void> {
    if (this.#underWay.size === 0) return;
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    this.#onNone = resolve;
    const deadline = setTimeout(() => {
      if (slow === 'waited for') {
        reject(new ControlRefusal(409, 'Requests are under way and do not end. Try again.'));
        return;
      }
      for (const request of this.#underWay.values()) request.socket.destroy();
    }, this.#patience);
    await promise.finally(() => clearTimeout(deadline));
  }
}

/** Before there are services, and when their start has failed. */
export const refuseUnlessRunning: RequestListener = (_request, response) => {
  response.writeHead(503, { 'content-type': 'application/json; charset=utf-8' });
  response.end('{"message":"Hob is not running: see its log."}');
};
