import { backslash, comma, quote, skipSpace } from './json-bytes.ts';

const minus = 0x2d;
const point = 0x2e;
const zero = 0x30;
const colon = 0x3a;
const openList = 0x5b;
const closeList = 0x5d;
const smallU = 0x75;
const openObject = 0x7b;
const closeObject = 0x7d;

/**
 * The position of the first byte at which a text in UTF-8 is not JSON, or its length if it ends too early; undefined: it is JSON. JSON.parse
 * also makes the value, which takes half a second for 6 MB of lists or of names.
 */
export function findJsonFault(text: Uint8Array): number | undefined {
  // What ends each list and object that is open. Recursion would overflow the stack.
  let ends = new Uint8Array(64);
  let depth = 0;
  let at = skipSpace(text, 0);
  for (;;) {
    const first = text[at];
    if (first === openList || first === openObject) {
      const end = first === openList ? closeList : closeObject;
      if (depth === ends.length) ends = twiceAsLong(ends);
      ends[depth] = end;
      depth += 1;
      at = skipSpace(text, at + 1);
      if (text[at] !== end) {
        if (end === closeObject) at = nameEnd(text, at);
        if (at < 0) return ~at;
        continue;
      }
    } else {
      at = scalarEnd(text, at, first);
      if (at < 0) return ~at;
      at = skipSpace(text, at);
    }
    while (depth > 0 && text[at] === ends[depth - 1]) {
      depth -= 1;
      at = skipSpace(text, at + 1);
    }
    if (depth === 0) return at === text.length ? undefined : at;
    if (text[at] !== comma) return at;
    at = skipSpace(text, at + 1);
    if (ends[depth - 1] === closeObject) at = nameEnd(text, at);
    if (at < 0) return ~at;
  }
}

function twiceAsLong(bytes: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> {
  const longer = new Uint8Array(2 * bytes.length);
  longer.set(bytes);
  return longer;
}

// The following return the position after what they read, or the complement of that of a fault.

/** The name of a member, the colon, and the space before the value. */
function nameEnd(text: Uint8Array, start: number): number {
  if (text[start] !== quote) return ~start;
  const end = stringEnd(text, start + 1);
  if (end < 0) return end;
  const after = skipSpace(text, end);
  return text[after] === colon ? skipSpace(text, after + 1) : ~after;
}

function scalarEnd(text: Uint8Array, start: number, first: number | undefined): number {
  if (first === quote) return stringEnd(text, start + 1);
  if (first === minus || isDigit(first)) return numberEnd(text, start);
  const literal = literals.find((each) => each[0] === first);
  if (!literal) return ~start;
  const other = literal.findIndex((byte, index) => text[start + index] !== byte);
  return other < 0 ? start + literal.length : ~(start + other);
}

const literals = ['true', 'false', 'null'].map((word) => Buffer.from(word));

function stringEnd(text: Uint8Array, start: number): number {
  for (let at = start; at < text.length; at += 1) {
    const byte = text[at] ?? 0;
    if (byte === quote) return at + 1;
    if (byte < 0x20) return ~at;
    if (byte !== backslash) continue;
    at += 1;
    if (text[at] === smallU) {
      for (let digit = 0; digit < 4; digit += 1) {
        at += 1;
        if (!isHexDigit(text[at])) return ~at;
      }
    } else if (!escaped.has(text[at] ?? 0)) return ~at;
  }
  return ~text.length;
}

const escaped: ReadonlySet<number> = new Set(Buffer.from('"\\/bfnrt'));

function numberEnd(text: Uint8Array, start: number): number {
  let at = text[start] === minus ? start + 1 : start;
  if (!isDigit(text[at])) return ~at;
  if (text[at] === zero) {
    at += 1;
    if (isDigit(text[at])) return ~at;
  } else at = digitsEnd(text, at);
  if (text[at] === point) {
    if (!isDigit(text[at + 1])) return ~(at + 1);
    at = digitsEnd(text, at + 1);
  }
  if (text[at] !== 0x65 && text[at] !== 0x45) return at;
  at += text[at + 1] === minus || text[at + 1] === 0x2b ? 2 : 1;
  return isDigit(text[at]) ? digitsEnd(text, at) : ~at;
}

function digitsEnd(text: Uint8Array, start: number): number {
  let at = start;
  while (isDigit(text[at])) at += 1;
  return at;
}

function isDigit(byte = 0): boolean {
  return byte >= zero && byte <= 0x39;
}

function isHexDigit(byte = 0): boolean {
  return isDigit(byte) || (byte >= 0x41 && byte <= 0x46) || (byte >= 0x61 && byte <= 0x66);
}
