import { backslash, comma, quote, skipSpace } from './json-bytes.ts';

/**
 * The texts of some members of a JSON object, as they were written; undefined: it is another value. The text must be JSON in UTF-8. Of a
 * large text, only what is needed is then parsed: making all of its values takes as long as the server is then held up.
 */
export function memberTexts(
  text: Uint8Array,
  names: Iterable<string>,
): ReadonlyMap<string, Uint8Array> | undefined {
  const found = new Map<string, Uint8Array>();
  const wanted = Array.from(names, (name) => ({ name, bytes: Buffer.from(name) }));
  let at = skipSpace(text, 0);
  if (text[at] !== 0x7b) return undefined;
  at = skipSpace(text, at + 1);
  while (text[at] === quote) {
    const nameEnd = stringEnd(text, at);
    const name = nameIn(text, { start: at, end: nameEnd }, wanted);
    // Over the colon.
    const start = skipSpace(text, skipSpace(text, nameEnd) + 1);
    const end = valueEnd(text, start);
    if (name !== undefined) found.set(name, text.subarray(start, end));
    const after = skipSpace(text, end);
    at = skipSpace(text, text[after] === comma ? after + 1 : after);
  }
  return found;
}

/** The position after a string. */
function stringEnd(text: Uint8Array, start: number): number {
  let at = start + 1;
  while (at < text.length && text[at] !== quote) at += text[at] === backslash ? 2 : 1;
  return at + 1;
}

/** Undefined for a name that is none of these. There may be half a million: those without escapes are compared where they are. */
function nameIn(
  text: Uint8Array,
  { start, end }: { readonly start: number; readonly end: number },
  names: readonly Name[],
): string | undefined {
  let isEscaped = false;
  for (let at = start; at < end && !isEscaped; at += 1) isEscaped = text[at] === backslash;
  if (!isEscaped) {
    const isThere = ({ bytes }: Name): boolean =>
      bytes.length === end - start - 2 && bytes.every((byte, at) => text[start + 1 + at] === byte);
    return names.find(isThere)?.name;
  }
  const quoted = Buffer.from(text.buffer, text.byteOffset + start, end - start);
  const name: unknown = JSON.parse(quoted.toString());
  return names.find((each) => each.name === name)?.name;
}

interface Name {
  readonly name: string;
  readonly bytes: Uint8Array;
}

/** The position of the comma or bracket after a value, or of the space before it. */
function valueEnd(text: Uint8Array, start: number): number {
  let depth = 0;
  let at = start;
  while (at < text.length) {
    const byte = text[at] ?? 0;
    if (byte === quote) {
      at = stringEnd(text, at);
      if (depth === 0) return at;
      continue;
    }
    const isOpen = byte === 0x5b || byte === 0x7b;
    const isClose = byte === 0x5d || byte === 0x7d;
    if (depth === 0 && (isClose || byte === comma || byte <= 0x20)) return at;
    if (isOpen) depth += 1;
    at += 1;
    if (isClose) depth -= 1;
    if (isClose && depth === 0) return at;
  }
  return at;
}
