import { streamHead, type HttpAnswerHead } from './http-answer.ts';

/** The separator between the head of a streamed result and its body. */
const separator = Buffer.alloc(8);
/** The maximum size of a head, in bytes. */
const headBytesMax = 64 * 1024;

export interface StreamedAnswer extends HttpAnswerHead {
  readonly body: AsyncIterable<Uint8Array>;
}

/** Reads the head of a streamed result; undefined when there is none. */
export async function splitPrelude(
  stream: AsyncIterable<Uint8Array>,
): Promise<StreamedAnswer | undefined> {
  const pieces = stream[Symbol.asyncIterator]();
  let read = Buffer.alloc(0);
  let end = -1;
  while (end < 0 && read.length < headBytesMax) {
    const next = await pieces.next();
    if (next.done === true) break;
    read = Buffer.concat([read, next.value]);
    end = read.indexOf(separator);
  }
  const head = end < 0 ? undefined : streamHead(read.subarray(0, end));
  return head && { ...head, body: rest(read.subarray(end + separator.length), pieces) };
}

async function* rest(
  received: Uint8Array,
  pieces: AsyncIterator<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  if (received.length > 0) yield received;
  for (;;) {
    const next = await pieces.next();
    if (next.done === true) return;
    yield next.value;
  }
}
