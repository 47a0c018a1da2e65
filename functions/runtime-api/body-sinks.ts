import type { Connection } from './connection.ts';
import { GrowingBytes } from './growing-bytes.ts';
import { payloadMax, payloadTooLarge } from './refusals.ts';
import type { BodySink } from './request-reader.ts';

export interface Collecting {
  whole(body: Buffer): void;
  /** Refused with 413 as well. */
  tooLarge(): void;
  /** The body was truncated. */
  truncated(): void;
}

/** Buffers the body up to the limit. */
export function collectingBody(collecting: Collecting, connection: Connection): BodySink {
  const collected = new GrowingBytes();
  // Most bodies arrive in one chunk, together with their head: that chunk is not copied.
  let first: Buffer | undefined;
  let rest: BodySink | undefined;
  return {
    data(piece) {
      if (rest !== undefined) {
        rest.data(piece);
      } else if ((first?.length ?? collected.length) + piece.length > payloadMax) {
        first = undefined;
        collected.take();
        collecting.tooLarge();
        rest = refusedBody(payloadTooLarge, connection);
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

export function refusedBody(answer: Buffer, connection: Connection): BodySink {
  return discardedBody(() => connection.answer(answer), connection);
}

/**
 * Discards the body, so that the connection can be reused, and then responds. Up to a limit, since reading has a cost.
 */
export function discardedBody(then: () => void, connection: Connection): BodySink {
  let discarded = 0;
  return {
    data(piece) {
      discarded += piece.length;
      if (discarded > discardedMax) connection.destroy();
    },
    end: then,
    truncated() {},
  };
}

const discardedMax = 64 * 1024 * 1024;
