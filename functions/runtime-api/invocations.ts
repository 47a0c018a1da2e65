import { collectingBody, refusedBody } from './body-readers.ts';
import type { Connection } from './connection.ts';
import {
  reportedError,
  type RuntimeResponse,
  type RuntimeError,
  type DeliveredEvent,
} from './runtime-channel.ts';
import {
  accepted,
  eventResponse,
  invalidRequestId,
  invalidResponseMode,
  transitionRefused,
} from './http-response.ts';
import type { RequestHead } from './request-head.ts';
import type { BodySink } from './request-reader.ts';
import { streamedBody } from './streamed-body.ts';

/** Matches events with polls, and responses with events by request id. */
export class Invocations {
  readonly #concurrency: number;
  readonly #running = new Map<string, Invocation>();
  readonly #answered: RecentlyAnswered;
  readonly #handedOut: (event: DeliveredEvent) => void;
  #waiting: Invocation[] = [];
  #polls: Connection[] = [];

  constructor(concurrency: number, handedOut: (event: DeliveredEvent) => void) {
    this.#concurrency = concurrency;
    this.#handedOut = handedOut;
    this.#answered = new RecentlyAnswered(concurrency);
  }

  get waiting(): boolean {
    return this.#waiting.length > 0;
  }

  /** The state of a serving program, as named in refusals. */
  get state(): string {
    const [running] = this.#running.values();
    return running?.state ?? 'Ready';
  }

  add(event: DeliveredEvent): Promise<RuntimeResponse> {
    return new Promise((resolve) => {
      this.#waiting.push({ event, state: 'Running', sentOn: undefined, resolve });
      this.#handOut();
    });
  }

  poll(connection: Connection): void {
    const [running] = this.#running.values();
    if (this.#concurrency > 1 || running === undefined) {
      connection.park();
      this.#polls.push(connection);
      this.#handOut();
    } else if (running.state === 'Running') {
      // A program that polls again without having responded has lost the event: it gets the same one.
      running.sentOn = connection;
      connection.respond(eventResponse(running.event));
    } else {
      connection.respond(transitionRefused(running.state, 'Ready'));
    }
  }

  response(requestId: string, head: RequestHead, connection: Connection): BodySink {
    const invocation = this.#running.get(requestId);
    if (invocation?.state !== 'Running') {
      return this.#lateResponse(requestId, invocation, 'InvocationResponse', connection);
    }
    const contentType = head.headers.get('content-type');
    const mode = head.headers.get('lambda-runtime-function-response-mode');
    invocation.state = 'InvocationResponse';
    if (mode === 'streaming') {
      const stream = streamedBody(connection, contentType, () => this.#finished(invocation));
      invocation.resolve(stream.response);
      return stream.sink;
    }
    if (mode !== undefined) {
      this.#resolve(invocation, { kind: 'error', error: invalidModeError });
      return refusedBody(invalidResponseMode, connection);
    }
    return this.#collected(invocation, connection, (payload) =>
      contentType === undefined
        ? { kind: 'response', payload }
        : { kind: 'response', payload, contentType },
    );
  }

  error(requestId: string, head: RequestHead, connection: Connection): BodySink {
    const invocation = this.#running.get(requestId);
    if (invocation?.state !== 'Running') {
      return this.#lateResponse(requestId, invocation, 'InvocationErrorResponse', connection);
    }
    invocation.state = 'InvocationErrorResponse';
    return this.#collected(invocation, connection, (payload) => ({
      kind: 'error',
      error: reportedError(head, payload),
    }));
  }

  /** `unread` when the program closed the connection before it had read everything. */
  connectionClosed(connection: Connection, unread: boolean): void {
    this.#polls = this.#polls.filter((poll) => poll !== connection);
    if (!unread) return;
    for (const [requestId, invocation] of this.#running) {
      if (invocation.sentOn !== connection || invocation.state !== 'Running') continue;
      // The event never arrived: the next poll gets it.
      this.#running.delete(requestId);
      invocation.sentOn = undefined;
      this.#waiting.unshift(invocation);
    }
    this.#handOut();
  }

  failWaiting(error: RuntimeError): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const invocation of waiting) invocation.resolve({ kind: 'error', error });
  }

  close(): void {
    const unanswered = [...this.#running.values(), ...this.#waiting];
    this.#running.clear();
    this.#waiting = [];
    // A streamed response is reported by its own end.
    for (const invocation of unanswered) {
      invocation.resolve({ kind: 'gone', delivered: invocation.sentOn !== undefined });
    }
  }

  /** Buffers the response up to the limit. Only one request at a time can respond to an invocation. */
  #collected(
    invocation: Invocation,
    connection: Connection,
    response: (payload: Buffer) => RuntimeResponse,
  ): BodySink {
    return collectingBody(
      {
        whole: (payload) => {
          this.#resolve(invocation, response(payload));
          connection.respond(accepted);
        },
        tooLarge: () => this.#resolve(invocation, { kind: 'too-large' }),
        // A truncated response does not count; the program may send it again on another connection.
        truncated: () => {
          invocation.state = 'Running';
        },
      },
      connection,
    );
  }

  /** Refuses a response to an event that was not sent to the program, or a second response. */
  #lateResponse(
    requestId: string,
    invocation: Invocation | undefined,
    wanted: InvocationState,
    connection: Connection,
  ): BodySink {
    const state = invocation?.state ?? (this.#answered.has(requestId) ? 'ResponseSent' : undefined);
    return refusedBody(
      state === undefined ? invalidRequestId : transitionRefused(state, wanted),
      connection,
    );
  }

  #resolve(invocation: Invocation, response: RuntimeResponse): void {
    this.#finished(invocation);
    invocation.resolve(response);
  }

  #finished(invocation: Invocation): void {
    const { requestId } = invocation.event;
    invocation.state = 'ResponseSent';
    this.#running.delete(requestId);
    this.#answered.add(requestId);
  }

  #handOut(): void {
    while (this.#running.size < this.#concurrency && this.#waiting.length > 0) {
      const poll = this.#openPoll();
      if (poll === undefined) return;
      const invocation = this.#waiting.shift();
      if (invocation === undefined) return;
      invocation.sentOn = poll;
      this.#running.set(invocation.event.requestId, invocation);
      poll.respondParked(eventResponse(invocation.event));
      this.#handedOut(invocation.event);
    }
  }

  /** A poll on a closed connection must never receive an event: it would be lost. */
  #openPoll(): Connection | undefined {
    for (;;) {
      const poll = this.#polls.shift();
      if (poll === undefined || poll.open) return poll;
    }
  }
}

const invalidModeError: RuntimeError = {
  payload: Buffer.from(
    JSON.stringify({
      errorType: 'Runtime.InvalidResponseModeHeader',
      errorMessage: 'Invalid function response mode',
    }),
  ),
  type: 'Runtime.InvalidResponseModeHeader',
};

/** An event that has not been answered yet. */
interface Invocation {
  readonly event: DeliveredEvent;
  state: InvocationState;
  /** The connection on which the event was sent. */
  sentOn: Connection | undefined;
  resolve(response: RuntimeResponse): void;
}

/** The names appear in refusals. */
type InvocationState =
  | 'Running'
  | 'InvocationResponse'
  | 'InvocationErrorResponse'
  | 'ResponseSent';

/** Recently answered request ids, so that a second response gets the right error. */
class RecentlyAnswered {
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
