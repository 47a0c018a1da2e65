import { GrowingBytes } from './growing-bytes.ts';
import { parseHeaders, parseRequestHead } from './request-head.ts';
import type { Headers, RequestHead } from './request-head.ts';

/** Takes the requests of one connection, in order. */
export interface RequestSink {
  head(head: RequestHead): BodySink;
  /** Nothing further is read: where the next request would begin is not known any more. */
  malformed(problem: MalformedRequest): void;
}

/** Takes the body of one request. Pieces must be copied or used up at once. */
export interface BodySink {
  data(piece: Buffer): void;
  end(trailers: Headers): void;
  /** The body broke off or its framing is wrong. */
  truncated(): void;
}

export type MalformedRequest = 'head' | 'head-too-large' | 'body' | 'too-much-behind-a-poll';

/**
 * Reads HTTP/1.1 requests from bytes that arrive in pieces, several requests in a piece as well. What it keeps is bounded:
 * one head, or what stands behind a request whose answer is awaited.
 */
export class RequestReader {
  readonly #sink: RequestSink;
  readonly #kept = new GrowingBytes();
  #state: 'head' | 'length' | 'chunk-size' | 'chunk' | 'chunk-end' | 'trailers' | 'over' = 'head';
  #body: BodySink | undefined;
  /** Bytes that the body or the chunk still lacks. */
  #missing = 0;
  #held = false;
  /** A sink may release what it holds while it is called. */
  #reading = false;
  /** Where to go on looking for the end of the line or head, so that no byte is looked at twice. */
  #searched = 0;

  constructor(sink: RequestSink) {
    this.#sink = sink;
  }

  push(bytes: Buffer): void {
    if (this.#state === 'over') return;
    if (this.#held || this.#kept.length > 0) {
      this.#kept.append(bytes);
      if (this.#held) {
        if (this.#kept.length > heldMax) this.#fail('too-much-behind-a-poll');
        return;
      }
      this.#read(this.#kept.view(), true);
      return;
    }
    this.#read(bytes, false);
  }

  /** Further requests wait until `release`. */
  hold(): void {
    this.#held = true;
  }

  release(): void {
    this.#held = false;
    if (this.#reading || this.#kept.length === 0 || this.#isOver()) return;
    this.#read(this.#kept.view(), true);
  }

  /** The other side sends nothing more. */
  end(): void {
    if (this.#body !== undefined) this.#fail('body');
    this.#state = 'over';
  }

  #read(bytes: Buffer, collected: boolean): void {
    let at = 0;
    this.#reading = true;
    while (!this.#held && at < bytes.length) {
      const next = this.#step(bytes, at);
      if (next === undefined) break;
      at = next;
    }
    this.#reading = false;
    // `#fail` and `end` may have come in between; what is left is of no use then.
    if (this.#isOver()) {
      this.#kept.take();
      return;
    }
    if (collected && at === 0) return;
    if (collected) this.#kept.take();
    if (at < bytes.length) this.#kept.append(bytes.subarray(at));
    if (this.#held && this.#kept.length > heldMax) this.#fail('too-much-behind-a-poll');
  }

  #isOver(): boolean {
    return this.#state === 'over';
  }

  /** Reads one element that begins at `at`; answers with where it ends, or undefined when it is not all there. */
  #step(bytes: Buffer, at: number): number | undefined {
    switch (this.#state) {
      case 'head':
        return this.#readHead(bytes, at);
      case 'length':
      case 'chunk':
        return this.#readData(bytes, at);
      case 'chunk-size':
        return this.#readChunkSize(bytes, at);
      case 'chunk-end':
        return this.#readChunkEnd(bytes, at);
      case 'trailers':
        return this.#readTrailers(bytes, at);
      case 'over':
        return undefined;
    }
  }

  #readHead(bytes: Buffer, at: number): number | undefined {
    const end = this.#find(bytes, at, headEnd, headMax, 'head-too-large');
    if (end === undefined) return undefined;
    const head = parseRequestHead(bytes.toString('latin1', at, end));
    if (head === undefined) return this.#fail('head');
    const body = this.#sink.head(head);
    if (head.body.kind === 'chunked') {
      this.#body = body;
      this.#state = 'chunk-size';
    } else if (head.body.length > 0) {
      this.#body = body;
      this.#missing = head.body.length;
      this.#state = 'length';
    } else {
      body.end(noTrailers);
    }
    return end + headEnd.length;
  }

  #readData(bytes: Buffer, at: number): number {
    const end = Math.min(bytes.length, at + this.#missing);
    this.#missing -= end - at;
    this.#body?.data(at === 0 && end === bytes.length ? bytes : bytes.subarray(at, end));
    if (this.#missing === 0) {
      if (this.#state === 'chunk') this.#state = 'chunk-end';
      else this.#endBody(noTrailers);
    }
    return end;
  }

  #readChunkSize(bytes: Buffer, at: number): number | undefined {
    const end = this.#find(bytes, at, lineEnd, chunkLineMax, 'body');
    if (end === undefined) return undefined;
    const size = chunkSizePattern.exec(bytes.toString('latin1', at, end))?.[1];
    if (size === undefined) return this.#fail('body');
    this.#missing = Number.parseInt(size, 16);
    this.#state = this.#missing === 0 ? 'trailers' : 'chunk';
    return end + lineEnd.length;
  }

  #readChunkEnd(bytes: Buffer, at: number): number | undefined {
    if (bytes.length - at < lineEnd.length) return undefined;
    if (bytes[at] !== lineEnd[0] || bytes[at + 1] !== lineEnd[1]) return this.#fail('body');
    this.#state = 'chunk-size';
    return at + lineEnd.length;
  }

  #readTrailers(bytes: Buffer, at: number): number | undefined {
    if (bytes.length - at < lineEnd.length) return undefined;
    if (bytes[at] === lineEnd[0] && bytes[at + 1] === lineEnd[1]) {
      this.#endBody(noTrailers);
      return at + lineEnd.length;
    }
    const end = this.#find(bytes, at, headEnd, headMax, 'body');
    if (end === undefined) return undefined;
    const trailers = parseHeaders(bytes.toString('latin1', at, end));
    if (trailers === undefined) return this.#fail('body');
    this.#endBody(trailers);
    return end + headEnd.length;
  }

  #endBody(trailers: Headers): void {
    const body = this.#body;
    this.#body = undefined;
    this.#state = 'head';
    body?.end(trailers);
  }

  /** Where `mark` begins; undefined when it is not there yet, and too late when `max` bytes lie before it. */
  #find(
    bytes: Buffer,
    at: number,
    mark: Buffer,
    max: number,
    problem: MalformedRequest,
  ): number | undefined {
    const found = bytes.indexOf(mark, Math.max(at, this.#searched));
    const length = (found < 0 ? bytes.length : found) - at;
    if (length > max) return this.#fail(problem);
    if (found >= 0) {
      this.#searched = 0;
      return found;
    }
    // What is left moves to the front of what is kept.
    this.#searched = Math.max(0, length - mark.length + 1);
    return undefined;
  }

  #fail(problem: MalformedRequest): undefined {
    const body = this.#body;
    this.#body = undefined;
    this.#state = 'over';
    body?.truncated();
    this.#sink.malformed(problem);
    return undefined;
  }
}

const headEnd = Buffer.from('\r\n\r\n');
const lineEnd = Buffer.from('\r\n');
const chunkSizePattern = /^([0-9a-f]{1,12})(?:[ \t]*;[\t -~]*)?$/i;
const noTrailers: Headers = new Map();

/** The cause of an error travels in a header and may take a mebibyte (truth of the vendor's clients). */
const headMax = 1024 * 1024 + 4096;
const chunkLineMax = 1024;
const heldMax = 64 * 1024;
