import { ByteBuffer } from './body-readers.ts';
import { parseHeaders, parseRequestHead, type Headers, type RequestHead } from './request-head.ts';

/** Receives the requests of one connection, in order. */
export interface RequestSink {
  head(head: RequestHead): BodySink;
  /** Nothing further is read: the start of the next request is unknown. */
  malformed(problem: MalformedRequest): void;
}

/** Receives the body of one request. Chunks must be copied or consumed immediately. */
export interface BodySink {
  data(piece: Buffer): void;
  end(trailers: Headers): void;
  /** The body was truncated or its framing is invalid. */
  truncated(): void;
}

export type MalformedRequest = 'head' | 'head-too-large' | 'body' | 'too-much-behind-a-poll';

/**
 * Parses HTTP/1.1 requests from chunks, which may contain several requests. Its buffer is bounded: one head, or the bytes pipelined
 * behind a request that has not been answered.
 */
export class RequestReader {
  readonly #sink: RequestSink;
  readonly #buffered = new ByteBuffer();
  #state: 'head' | 'length' | 'chunk-size' | 'chunk' | 'chunk-end' | 'trailers' | 'over' = 'head';
  #body: BodySink | undefined;
  /** Remaining bytes of the body or the chunk. */
  #missing = 0;
  #held = false;
  /** Set while a sink is called, since it may call `release`. */
  #reading = false;
  /** Where to continue the search for the end of the line or head, so that no byte is searched twice. */
  #searched = 0;

  constructor(sink: RequestSink) {
    this.#sink = sink;
  }

  push(bytes: Buffer): void {
    if (this.#state === 'over') return;
    if (this.#held || this.#buffered.length > 0) {
      this.#buffered.append(bytes);
      if (this.#held) {
        if (this.#buffered.length > heldBytesMax) this.#fail('too-much-behind-a-poll');
        return;
      }
      this.#read(this.#buffered.view(), true);
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
    if (this.#reading || this.#buffered.length === 0 || this.#isOver()) return;
    this.#read(this.#buffered.view(), true);
  }

  /** The client has ended its side. */
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
    // `#fail` or `end` may have been called meanwhile; the rest is then ignored.
    if (this.#isOver()) {
      this.#buffered.take();
      return;
    }
    if (collected && at === 0) return;
    if (collected) this.#buffered.take();
    if (at < bytes.length) this.#buffered.append(bytes.subarray(at));
    if (this.#held && this.#buffered.length > heldBytesMax) this.#fail('too-much-behind-a-poll');
  }

  #isOver(): boolean {
    return this.#state === 'over';
  }

  /** Reads one element at `at`; returns its end, or undefined when it is incomplete. */
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
    const end = this.#find(bytes, at, headEnd, headBytesMax, 'head-too-large');
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
    const end = this.#find(bytes, at, lineEnd, chunkLineBytesMax, 'body');
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
    const end = this.#find(bytes, at, headEnd, headBytesMax, 'body');
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

  /** The offset of `mark`; undefined when it has not arrived yet; too late after `max` bytes. */
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
    // The rest moves to the front of the buffer.
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

/**
 * Request line and headers of a program's request; then 431. The cause of an error is sent in a
 * header and may have a mebibyte, as AWS's runtime clients send it.
 */
const headBytesMax = 1024 * 1024 + 4096;
/** Line of a chunk's size; then 400. */
const chunkLineBytesMax = 1024;
/** Bytes behind a poll that is not answered; then 400. */
const heldBytesMax = 64 * 1024;
