import { collectingBody, refusedBody } from './body-sinks.ts';
import type { Connection } from './connection.ts';
import { reportedError } from './error-type.ts';
import { accepted, eventAnswer } from './http-answer.ts';
import { invalidRequestId, invalidResponseMode, transitionRefused } from './refusals.ts';
import type { RequestHead } from './request-head.ts';
import type { BodySink } from './request-reader.ts';
import type { RuntimeAnswer, RuntimeError, RuntimeEvent } from './runtime-channel.ts';
import { streamedBody } from './streamed-body.ts';

/** Brings events and polls together, and answers back to their events by the request id. */
export class Invocations {
  readonly #concurrency: number;
  readonly #running = new Map<string, Invocation>();
  readonly #answered: RecentlyAnswered;
  readonly #handedOut: (event: RuntimeEvent) => void;
  #waiting: Invocation[] = [];
  #polls: Connection[] = [];

  constructor(concurrency: number, handedOut: (event: RuntimeEvent) => void) {
    this.#concurrency = concurrency;
    this.#handedOut = handedOut;
    this.#answered = new RecentlyAnswered(concurrency);
  }

  get waiting(): boolean {
    return this.#waiting.length > 0;
  }

  /** The state that a serving program is in, as refusals name it. */
  get state(): string {
    const [running] = this.#running.values();
    return running?.state ?? 'Ready';
  }

  add(event: RuntimeEvent): Promise<RuntimeAnswer> {
    return new Promise((resolve) => {
      this.#waiting.push({ event, state: 'Running', sentOn: undefined, resolve });
      this.#handOut();
    });
  }

  poll(connection: Connection): void {
    const [running] = this.#running.values();
    if (this.#concurrency > 1 || running === undefined) {
      connection.hold();
      this.#polls.push(connection);
      this.#handOut();
    } else if (running.state === 'Running') {
      // A program that asks again without an answer has lost the event: it gets the same one.
      running.sentOn = connection;
      connection.answer(eventAnswer(running.event));
    } else {
      connection.answer(transitionRefused(running.state, 'Ready'));
    }
  }

  response(requestId: string, head: RequestHead, connection: Connection): BodySink {
    const invocation = this.#running.get(requestId);
    if (invocation?.state !== 'Running') {
      return this.#lateAnswer(requestId, invocation, 'InvocationResponse', connection);
    }
    const contentType = head.headers.get('content-type');
    const mode = head.headers.get('lambda-runtime-function-response-mode');
    invocation.state = 'InvocationResponse';
    if (mode === 'streaming') {
      const stream = streamedBody(connection, contentType, () => this.#finished(invocation));
      invocation.resolve(stream.answer);
      return stream.sink;
    }
    if (mode !== undefined) {
      this.#settle(invocation, { kind: 'error', error: invalidModeError });
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
      return this.#lateAnswer(requestId, invocation, 'InvocationErrorResponse', connection);
    }
    invocation.state = 'InvocationErrorResponse';
    return this.#collected(invocation, connection, (payload) => ({
      kind: 'error',
      error: reportedError(head, payload),
    }));
  }

  /** `unread` when the program let go of the connection before it had read everything. */
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
    // A stream was answered already; its own end tells.
    for (const invocation of unanswered) invocation.resolve({ kind: 'gone' });
  }

  /** Keeps the answer up to the limit. Only one request at a time can be about an invocation. */
  #collected(
    invocation: Invocation,
    connection: Connection,
    answer: (payload: Buffer) => RuntimeAnswer,
  ): BodySink {
    return collectingBody(
      {
        whole: (payload) => {
          this.#settle(invocation, answer(payload));
          connection.answer(accepted);
        },
        tooLarge: () => this.#settle(invocation, { kind: 'too-large' }),
        // What broke off is no answer; the program may send it again on another connection.
        truncated: () => {
          invocation.state = 'Running';
        },
      },
      connection,
    );
  }

  /** Whoever answers an event that was not handed to it, or twice, is refused. */
  #lateAnswer(
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

  #settle(invocation: Invocation, answer: RuntimeAnswer): void {
    this.#finished(invocation);
    invocation.resolve(answer);
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
      poll.answerHeld(eventAnswer(invocation.event));
      this.#handedOut(invocation.event);
    }
  }

  /** A poll whose program is gone must never be given an event: it would be lost. */
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

/** An event from when it is handed in until it is answered. */
interface Invocation {
  readonly event: RuntimeEvent;
  state: InvocationState;
  /** The connection that the event went out on. */
  sentOn: Connection | undefined;
  resolve(answer: RuntimeAnswer): void;
}

/** The names show in refusals. */
type InvocationState =
  | 'Running'
  | 'InvocationResponse'
  | 'InvocationErrorResponse'
  | 'ResponseSent';

/** Ids that were answered a moment ago, so that a second answer is told what is wrong with it. */
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
