import { createHash } from 'node:crypto';

import type { LogLine } from '../logs/stream-reader.ts';

/** Bytes that an event adds to what a page may hold, as CloudWatch Logs counts. */
const eventOverheadBytes = 26;
/** Bytes of messages on a page. */
export const pageBytesMax = 1_048_576;

export function eventBytes({ text }: Pick<LogLine, 'text'>): number {
  return Buffer.byteLength(text) + eventOverheadBytes;
}

/** Messages of functions end with a line feed, as on AWS. */
export function messageOf({ text }: Pick<LogLine, 'text'>): string {
  return `${text}\n`;
}

/** Numbers the lines of one stream within one millisecond, so that each has the same unique id in every query. */
export class EventIds {
  readonly #last = new Map<string, { at: number; count: number }>();

  /** 56 digits, in the order of time. Every line of the millisecond must be passed, in order. */
  of({ at, stream }: LogLine): string {
    const before = this.#last.get(stream);
    const count = before?.at === at ? before.count + 1 : 0;
    this.#last.set(stream, { at, count });
    const digest = createHash('sha256').update(stream).digest().readBigUInt64BE();
    return [
      String(at).padStart(16, '0'),
      String(digest).padStart(20, '0'),
      String(count).padStart(20, '0'),
    ].join('');
  }
}
