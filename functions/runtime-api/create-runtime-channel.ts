import type { Socket } from 'node:net';

import { collectingBody, discardedBody, refusedBody } from './body-readers.ts';
import { Connection } from './connection.ts';
import { Invocations } from './invocations.ts';
import {
  accepted,
  emptyResponse,
  noSuchCall,
  transitionRefused,
  wrongMethod,
} from './http-response.ts';
import type { RequestHead } from './request-head.ts';
import type { BodySink } from './request-reader.ts';
import {
  reportedError,
  type DeliveredEvent,
  type InitOutcome,
  type RuntimeChannel,
  type RuntimeError,
  type RuntimeResponse,
} from './runtime-channel.ts';

export interface RuntimeChannelOptions {
  /** How many events the program may process at a time; 1 by default. */
  readonly concurrency?: number;
  /**
   * The program may request, before its first event, to be notified when it is restored from a snapshot. It then counts as initialised,
   * and is notified when the first event arrives.
   */
  readonly snapStart?: boolean;
  /** The other APIs at the same address: Extensions API, Telemetry API, Logs API. */
  readonly otherCalls?: OtherCalls;
}

export interface OtherCalls {
  /** Undefined when the path belongs to none of them. */
  request(head: RequestHead, connection: Connection): BodySink | undefined;
  /** An event was sent to the program. */
  handedOut(event: DeliveredEvent): void;
  connectionClosed(connection: Connection): void;
}

export function createRuntimeChannel(options: RuntimeChannelOptions = {}): RuntimeChannel {
  return new Channel(options);
}

class Channel implements RuntimeChannel {
  readonly initialised: Promise<InitOutcome>;
  readonly #startUp: StartUp;
  readonly #invocations: Invocations;
  readonly #otherCalls: OtherCalls | undefined;
  readonly #connections = new Set<Connection>();
  readonly #connectionsMax: number;
  readonly #unreadBytesMax: number;
  #hasEnded = false;
  #closed = false;

  constructor(options: RuntimeChannelOptions) {
    const concurrency = options.concurrency ?? 1;
    this.#startUp = new StartUp(options.snapStart ?? false);
    this.initialised = this.#startUp.outcome;
    this.#otherCalls = options.otherCalls;
    this.#invocations = new Invocations(concurrency, (event) => this.#otherCalls?.handedOut(event));
    this.#connectionsMax = concurrency + spareConnectionsMax;
    this.#unreadBytesMax = concurrency * unreadBytesMax;
  }

  accept(socket: Socket): void {
    if (this.#closed || this.#connections.size >= this.#connectionsMax) {
      socket.on('error', ignore);
      socket.destroy();
      return;
    }
    this.#connections.add(
      new Connection(socket, {
        request: (head, connection) => this.#request(head, connection),
        closed: (connection, unread) => this.#connectionClosed(connection, unread),
        leavesTooMuchUnread: () => this.#unreadBytes() > this.#unreadBytesMax,
      }),
    );
  }

  exchange(event: DeliveredEvent): Promise<RuntimeResponse> {
    if (this.#hasEnded) return Promise.resolve({ kind: 'gone', delivered: false });
    const response = this.#invocations.add(event);
    this.#startUp.resumeIfParked();
    return response;
  }

  programEnded(): void {
    this.#hasEnded = true;
    this.#startUp.gone();
    this.#invocations.close();
  }

  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    for (const connection of this.#connections) connection.destroy();
    this.programEnded();
  }

  #request(head: RequestHead, connection: Connection): BodySink {
    const call = callPattern.exec(head.path);
    if (call === null) {
      const other = this.#otherCalls?.request(head, connection);
      return other ?? refusedBody(noSuchCall, connection);
    }
    const [, name = '', requestId, reported] = call;
    if (head.method !== (name.endsWith('/next') ? 'GET' : 'POST')) {
      return refusedBody(wrongMethod, connection);
    }
    if (requestId !== undefined) {
      return reported === 'response'
        ? this.#invocations.response(requestId, head, connection)
        : this.#invocations.error(requestId, head, connection);
    }
    switch (name) {
      case 'invocation/next':
        return discardedBody(() => this.#next(connection), connection);
      case 'init/error':
        return this.#startUp.initError(head, connection, this.#state());
      case 'restore/next':
        return this.#startUp.restoreNext(connection, this.#state(), () => {
          if (this.#invocations.waiting) this.#startUp.resumeIfParked();
        });
      default:
        return this.#startUp.restoreError(head, connection, this.#state(), (error) => {
          this.#invocations.failWaiting(error);
        });
    }
  }

  #next(connection: Connection): void {
    if (this.#startUp.polled()) this.#invocations.poll(connection);
    else connection.respond(transitionRefused(this.#startUp.phase, 'Ready'));
  }

  #state(): string {
    const { phase } = this.#startUp;
    return phase === 'Serving' ? this.#invocations.state : phase;
  }

  #unreadBytes(): number {
    return [...this.#connections].reduce((sum, { unreadBytes }) => sum + unreadBytes, 0);
  }

  #connectionClosed(connection: Connection, unread: boolean): void {
    this.#connections.delete(connection);
    this.#startUp.closed(connection);
    this.#otherCalls?.connectionClosed(connection);
    this.#invocations.connectionClosed(connection, unread);
  }
}

/** Names as in refusals; in `Serving` each invocation has a state of its own. */
type Phase = 'Started' | 'InitError' | 'RestoreReady' | 'Restoring' | 'RestoreError' | 'Serving';

/** The calls of a program before it serves: an init error, or that it can be restored from here. */
class StartUp {
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

  /** The program polls for its first or next event: it is ready. False when it has reported an init error. */
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

function ignore(): void {}

const callPattern =
  /^\/2018-06-01\/runtime\/(invocation\/next|init\/error|restore\/(?:next|error)|invocation\/([^/]+)\/(response|error))$/;

/** Connections of one environment to the Runtime API, beyond one for each event at a time. */
const spareConnectionsMax = 32;

/**
 * Responses that a program does not read, for each event at a time; then the connection that gets another one is closed. More than an event
 * of 6 MiB that it has not started to read.
 */
const unreadBytesMax = 16 * 1024 * 1024;
