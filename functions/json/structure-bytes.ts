import { backslash, quote } from './json-bytes.ts';

/**
 * Bytes of a JSON text outside of its strings, with their quotes. They, and not what the strings contain, decide how long it takes to parse
 * and how much memory the value needs. Counts no further than `max`; a text that is not JSON has any number.
 */
export function structureBytes(text: Uint8Array, max: number): number {
  let bytes = 0;
  let at = 0;
  while (bytes <= max) {
    const start = text.indexOf(quote, at);
    if (start < 0) return bytes + text.length - at;
    bytes += start - at + 2;
    const end = endOfString(text, start + 1);
    if (end < 0) return bytes;
    at = end + 1;
  }
  return bytes;
}

/**
 * JSON outside of its strings, with their quotes, in a body of a request and in what a function returns; more is 413
 * `RequestEntityTooLargeException`, or not understood. Parsing as much takes 100 milliseconds at most.
 */
export const structureBytesMax = 1_048_576;

export function isQuicklyParsed(text: Uint8Array): boolean {
  if (text.length <= structureBytesMax) return true;
  return structureBytes(text, structureBytesMax) <= structureBytesMax;
}

/** Parses a text of a program, which may be anything. Throws for a text that is not JSON, and for one that would take long. */
export function parseQuickly(text: Uint8Array): unknown {
  if (!isQuicklyParsed(text)) throw new RangeError('The text has too much outside of its strings.');
  return JSON.parse(Buffer.from(text).toString());
}

/** The position of the quote that ends a string; negative: there is none. */
function endOfString(text: Uint8Array, start: number): number {
  const end = text.indexOf(quote, start);
  if (end < 0 || text[end - 1] !== backslash) return end;
  // The search does not know escapes, and starting it anew after each would take long.
  for (let at = start; at < text.length; at += 1) {
    if (text[at] === quote) return at;
    if (text[at] === backslash) at += 1;
  }
  return -1;
}
