import type { Socket } from 'node:net';

import { reportError } from '#platform/in-background.ts';

import { continueResponse, errorResponse, truncatedRequest } from './http-response.ts';
import { RequestReader, type BodySink, type MalformedRequest } from './request-reader.ts';
import type { RequestHead } from './request-head.ts';

export interface ConnectionOwner {
  request(head: RequestHead, connection: Connection): BodySink;
  /** `unread` is true when the program disconnected before it had read everything. */
  closed(connection: Connection, unread: boolean): void;
  /** Whether the program leaves more responses unread, on all of its connections together, than are held for it. */
  leavesTooMuchUnread(): boolean;
}

/** One connection of a program: requests in, responses out in the same order. */
export class Connection {
  readonly #socket: Socket;
  readonly #reader: RequestReader;
  readonly #owner: ConnectionOwner;
  #unsent: Buffer[] = [];
  #unsentBytes = 0;
  #flush: NodeJS.Immediate | undefined;
  #flushLater: NodeJS.Timeout | undefined;
  /** The current request is the last one. */
  #last = false;
  #keepAlive = true;
  #open = true;

  constructor(socket: Socket, owner: ConnectionOwner) {
    this.#socket = socket;
    this.#owner = owner;
    this.#reader = new RequestReader({
      head: (head) => this.#begin(head),
      malformed: (problem) => this.#refuse(problem),
    });
    socket.on('data', (bytes: Buffer) => this.#read(bytes));
    // A program that has closed its side no longer reads responses: its poll must not receive an event.
    socket.on('end', () => this.#end(false));
    // `close` follows, so the error needs no handling.
    socket.on('error', ignore);
    socket.on('close', (failed) => this.#end(failed));
  }

  /** Whether a response can still reach the program. */
  get open(): boolean {
    return this.#open && this.#keepAlive && this.#socket.writable;
  }

  /** Bytes of responses that the program has not read. */
  get unreadBytes(): number {
    return this.#unsentBytes + this.#socket.writableLength;
  }

  /**
   * Sends a response within this turn of the event loop. Not immediately: if events are queued, the next one is known by then and both
   * are sent in one write.
   */
  respond(bytes: Buffer): void {
    if (this.#last) this.#readNoMore();
    this.#sendSoon(bytes);
  }

  /** Answers a parked request, without delay; the requests behind it are read. */
  respondParked(bytes: Buffer): void {
    if (this.#last) this.#readNoMore();
    this.#enqueue(bytes);
    this.#send();
    if (this.#keepAlive) this.#reader.release();
  }

  /**
   * Parks the current request, a long poll: requests behind it wait for its response. A program that pipelines does not need the earlier responses immediately: if
   * this one is ready soon, all are sent in one write and wake the program once.
   */
  park(): void {
    this.#reader.hold();
    if (this.#flush === undefined) return;
    clearImmediate(this.#flush);
    this.#flush = undefined;
    this.#flushLater = setTimeout(() => this.#send(), togetherMilliseconds);
  }

  pause(): void {
    this.#socket.pause();
  }

  resume(): void {
    this.#socket.resume();
  }

  /** Sends a last response. */
  finish(bytes: Buffer): void {
    this.#readNoMore();
    this.#sendSoon(bytes);
  }

  destroy(): void {
    this.#socket.destroy();
    this.#end(false);
  }

  /** An error here would end the server: what a program sends may end no more than its connection. */
  #read(bytes: Buffer): void {
    try {
      this.#reader.push(bytes);
    } catch (error) {
      reportError(error);
      this.destroy();
    }
  }

  #begin(head: RequestHead): BodySink {
    if (!head.keepAlive) this.#last = true;
    if (head.expectsContinue) this.#sendSoon(continueResponse);
    return this.#owner.request(head, this);
  }

  #refuse(problem: MalformedRequest): void {
    this.finish(refusals[problem]);
  }

  #readNoMore(): void {
    this.#keepAlive = false;
    this.#reader.hold();
  }

  #sendSoon(bytes: Buffer): void {
    this.#enqueue(bytes);
    this.#flush ??= setImmediate(() => this.#send());
  }

  #enqueue(bytes: Buffer): void {
    if (this.#socket.destroyed) return;
    this.#unsent.push(bytes);
    this.#unsentBytes += bytes.length;
    // Also before anything is sent: one chunk may contain a thousand requests, which are all answered first.
    if (this.unreadBytes > fewBytes && this.#owner.leavesTooMuchUnread()) this.destroy();
  }

  #send(): void {
    clearImmediate(this.#flush);
    clearTimeout(this.#flushLater);
    this.#flush = undefined;
    const unsent = this.#unsent;
    this.#unsent = [];
    this.#unsentBytes = 0;
    if (!this.#socket.writable) return;
    const [only] = unsent;
    if (unsent.length === 1 && only !== undefined) this.#socket.write(only);
    else if (unsent.length > 1) this.#socket.write(Buffer.concat(unsent));
    // `destroySoon` flushes first, and does not wait for the other side to close.
    if (!this.#keepAlive) this.#socket.destroySoon();
  }

  #end(unread: boolean): void {
    if (!this.#open) return;
    this.#open = false;
    this.#reader.end();
    this.#keepAlive = false;
    this.#send();
    this.#owner.closed(this, unread);
  }
}

const refusals: Readonly<Record<MalformedRequest, Buffer>> = {
  head: errorResponse(400, 'MalformedRequest', 'The request line or a header is not HTTP/1.1.'),
  'head-too-large': errorResponse(
    431,
    'HeadersTooLarge',
    'The request line and headers exceed 1,052,672 bytes.',
  ),
  body: truncatedRequest,
  'too-much-behind-a-poll': errorResponse(
    400,
    'MalformedRequest',
    'More than 65,536 bytes were pipelined behind an unanswered request.',
  ),
};

/** Time that a response to a program may wait to go out together with the next. */
const togetherMilliseconds = 10;

/** Unread responses of one connection that are not worth the look at the others. */
const fewBytes = 64 * 1024;

function ignore(): void {}
