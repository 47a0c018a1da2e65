import { present } from '#platform/present.ts';

import type { Connection } from './connection.ts';
import { filteredErrorType, type RuntimeResponse, type RuntimeError } from './runtime-channel.ts';
import { ByteBuffer } from './body-readers.ts';
import { accepted } from './http-response.ts';
import type { Headers } from './request-head.ts';
import type { BodySink } from './request-reader.ts';

export interface StreamedBody {
  readonly sink: BodySink;
  readonly response: Extract<RuntimeResponse, { kind: 'stream' }>;
}

/** A response that is passed on as it arrives. A slow reader slows the program; when the reader stops, the rest is discarded. */
export function streamedBody(
  connection: Connection,
  contentType: string | undefined,
  finished: () => void,
): StreamedBody {
  const waiting = new ByteBuffer();
  const trailer = Promise.withResolvers<RuntimeError | undefined>();
  let state: 'open' | 'ended' | 'unwanted' = 'open';
  let paused = false;
  let received = 0;
  let wake: (() => void) | undefined;

  function awaited(): boolean {
    return state === 'open';
  }

  function over(error: RuntimeError | undefined): void {
    if (state === 'open') state = 'ended';
    trailer.resolve(error);
    wake?.();
    finished();
  }

  function unpause(): void {
    if (!paused) return;
    paused = false;
    connection.resume();
  }

  /** The reader has stopped: the program may still write to the end. */
  function stop(): void {
    if (state === 'open') state = 'unwanted';
    waiting.take();
    unpause();
    wake?.();
  }

  const body: AsyncIterableIterator<Uint8Array, undefined> = {
    [Symbol.asyncIterator]: () => body,
    async next() {
      while (waiting.length === 0 && awaited()) {
        const { promise, resolve } = Promise.withResolvers<void>();
        wake = resolve;
        await promise;
      }
      if (waiting.length === 0) return noMore;
      const value = waiting.take();
      unpause();
      return { done: false, value };
    },
    async return() {
      stop();
      return noMore;
    },
  };

  return {
    sink: {
      data(piece) {
        received += piece.length;
        if (received > streamedBytesMax) {
          over(tooLarge);
          connection.destroy();
        }
        if (state !== 'open') return;
        waiting.append(piece);
        wake?.();
        if (waiting.length <= waitingBytesMax || paused) return;
        paused = true;
        connection.pause();
      },
      end(trailers) {
        over(errorOf(trailers));
        connection.respond(accepted);
      },
      truncated() {
        over(truncated);
      },
    },
    response: {
      kind: 'stream',
      body,
      trailer: trailer.promise,
      ...present({ contentType }),
    },
  };
}

function errorOf(trailers: Headers): RuntimeError | undefined {
  const type = trailers.get('lambda-runtime-function-error-type');
  const body = trailers.get('lambda-runtime-function-error-body');
  if (type === undefined && body === undefined) return undefined;
  return { payload: Buffer.from(body ?? '', 'base64'), type: filteredErrorType(type) };
}

const noMore = { done: true, value: undefined } as const;

const truncated = platformError(
  'Runtime.TruncatedResponse',
  'The function ended before it had sent its whole response.',
);
const tooLarge = platformError(
  'Function.ResponseSizeTooLarge',
  'The response stream exceeds 209,715,200 bytes.',
);

function platformError(errorType: string, errorMessage: string): RuntimeError {
  return { payload: Buffer.from(JSON.stringify({ errorType, errorMessage })), type: errorType };
}

/** Streamed bytes buffered for a slow reader; then the program waits. */
const waitingBytesMax = 256 * 1024;
/** Streamed response; then the stream ends with Function.ResponseSizeTooLarge. */
const streamedBytesMax = 200 * 1024 * 1024;
