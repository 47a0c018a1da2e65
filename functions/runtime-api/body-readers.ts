import type { Connection } from './connection.ts';
import { payloadBytesMax, payloadTooLarge } from './http-response.ts';
import type { BodySink } from './request-reader.ts';

interface Collecting {
  whole(body: Buffer): void;
  /** Refused with 413 as well. */
  tooLarge(): void;
  /** The body was truncated. */
  truncated(): void;
}

/** Buffers the body up to the limit. */
export function collectingBody(
  collecting: Collecting,
  connection: Connection,
  bytesMax: number = payloadBytesMax,
): BodySink {
  const collected = new ByteBuffer();
  // Most bodies arrive in one chunk, together with their head: that chunk is not copied.
  let first: Buffer | undefined;
  let rest: BodySink | undefined;
  return {
    data(piece) {
      if (rest !== undefined) {
        rest.data(piece);
      } else if ((first?.length ?? collected.length) + piece.length > bytesMax) {
        first = undefined;
        collected.take();
        collecting.tooLarge();
        rest = refusedBody(payloadTooLarge(bytesMax), connection);
        rest.data(piece);
      } else if (first === undefined && collected.length === 0) {
        first = piece;
      } else {
        if (first !== undefined) collected.append(first);
        first = undefined;
        collected.append(piece);
      }
    },
    end(trailers) {
      if (rest === undefined) collecting.whole(first ?? collected.take());
      else rest.end(trailers);
    },
    truncated() {
      if (rest === undefined) collecting.truncated();
    },
  };
}

/**
 * Registration of an extension, or its subscription: a program may send as many at a time as it has connections, and each body
 * waits in memory for its end.
 */
export const smallBodyBytesMax = 64 * 1024;

export function refusedBody(response: Buffer, connection: Connection): BodySink {
  return discardedBody(() => connection.respond(response), connection);
}

/**
 * Discards the body, so that the connection can be reused, and then responds. Up to a limit, since reading has a cost.
 */
export function discardedBody(then: () => void, connection: Connection): BodySink {
  let discarded = 0;
  return {
    data(piece) {
      discarded += piece.length;
      if (discarded > discardedBytesMax) connection.destroy();
    },
    end: then,
    truncated() {},
  };
}

/** Body of a refused request of a program that is read over; then the connection is closed. */
const discardedBytesMax = 64 * 1024 * 1024;

/**
 * Bytes that arrive in chunks of any size. They are copied into one buffer that doubles: a program that sends single bytes must cause
 * neither a list entry for each nor a copy of everything before it.
 */
export class ByteBuffer {
  #buffer: Buffer = empty;
  #length = 0;

  get length(): number {
    return this.#length;
  }

  append(piece: Uint8Array): void {
    const needed = this.#length + piece.length;
    if (needed > this.#buffer.length) {
      const larger = Buffer.allocUnsafe(Math.max(needed, this.#buffer.length * 2, smallest));
      this.#buffer.copy(larger, 0, 0, this.#length);
      this.#buffer = larger;
    }
    this.#buffer.set(piece, this.#length);
    this.#length = needed;
  }

  /** All of it, without a copy; this one is empty afterwards. */
  take(): Buffer {
    const bytes = this.#buffer.subarray(0, this.#length);
    this.#buffer = empty;
    this.#length = 0;
    return bytes;
  }

  /** A view that the next `append` makes stale. */
  view(): Buffer {
    return this.#buffer.subarray(0, this.#length);
  }
}

const empty = Buffer.alloc(0);

const smallest = 512;
