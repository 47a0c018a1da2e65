import { collectingBody, discardedBody, refusedBody } from './body-readers.ts';
import type { Connection } from './connection.ts';
import { reportedError, type InitOutcome, type RuntimeError } from './runtime-channel.ts';
import { accepted, emptyResponse, noSuchCall, transitionRefused } from './http-response.ts';
import type { RequestHead } from './request-head.ts';
import type { BodySink } from './request-reader.ts';

/** Names as in refusals; in `Serving` each invocation has a state of its own. */
export type Phase =
  | 'Started'
  | 'InitError'
  | 'RestoreReady'
  | 'Restoring'
  | 'RestoreError'
  | 'Serving';

/** The calls of a program before it serves: an init error, or that it can be restored from here. */
export class StartUp {
  readonly outcome: Promise<InitOutcome>;
  readonly #resolve: (outcome: InitOutcome) => void;
  readonly #snapStart: boolean;
  #phase: Phase = 'Started';
  #restorePoll: Connection | undefined;

  constructor(snapStart: boolean) {
    const { promise, resolve } = Promise.withResolvers<InitOutcome>();
    this.outcome = promise;
    this.#resolve = resolve;
    this.#snapStart = snapStart;
  }

  get phase(): Phase {
    return this.#phase;
  }

  /** The program polls for its first or next event; false when it has reported an init error. */
  polled(): boolean {
    if (this.#phase === 'InitError' || this.#phase === 'RestoreError') return false;
    this.#phase = 'Serving';
    this.#resolve({ kind: 'ready' });
    return true;
  }

  gone(): void {
    this.#resolve({ kind: 'gone' });
  }

  initError(head: RequestHead, connection: Connection, state: string): BodySink {
    if (this.#phase !== 'Started') {
      return refusedBody(transitionRefused(state, 'InitError'), connection);
    }
    this.#phase = 'InitError';
    return failureBody(head, connection, (error) => this.#resolve({ kind: 'failed', error }));
  }

  /** `parked` is called when the program waits to be restored. */
  restoreNext(connection: Connection, state: string, parked: () => void): BodySink {
    if (!this.#snapStart) return refusedBody(noSuchCall, connection);
    if (this.#phase !== 'Started') {
      return refusedBody(transitionRefused(state, 'RestoreReady'), connection);
    }
    this.#phase = 'RestoreReady';
    return discardedBody(() => {
      connection.park();
      this.#restorePoll = connection;
      this.#resolve({ kind: 'ready' });
      parked();
    }, connection);
  }

  /** An event waits: a program that is parked at its snapshot runs its restore hooks and polls for the event. Others are not affected. */
  resumeIfParked(): void {
    const poll = this.#restorePoll;
    if (poll === undefined) return;
    this.#restorePoll = undefined;
    this.#phase = 'Restoring';
    poll.respondParked(emptyResponse);
  }

  restoreError(
    head: RequestHead,
    connection: Connection,
    state: string,
    failed: (error: RuntimeError) => void,
  ): BodySink {
    if (!this.#snapStart) return refusedBody(noSuchCall, connection);
    if (this.#phase !== 'Restoring') {
      return refusedBody(transitionRefused(state, 'RestoreError'), connection);
    }
    this.#phase = 'RestoreError';
    return failureBody(head, connection, failed);
  }

  closed(connection: Connection): void {
    if (this.#restorePoll === connection) this.#restorePoll = undefined;
  }
}

/** A program whose error report is invalid has failed all the same. */
function failureBody(
  head: RequestHead,
  connection: Connection,
  failed: (error: RuntimeError) => void,
): BodySink {
  return collectingBody(
    {
      whole(payload) {
        failed(reportedError(head, payload));
        connection.respond(accepted);
      },
      tooLarge: () => failed(reportedError(head, Buffer.alloc(0))),
      truncated: () => failed(reportedError(head, Buffer.alloc(0))),
    },
    connection,
  );
}
