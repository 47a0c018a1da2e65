/** The head of a request exactly as received: signatures are over the raw text. */
export interface RawRequestHead {
  readonly method: string;
  /** The request target with everything still encoded. */
  readonly target: string;
  /** Names and values in turn, each byte a character, as node's `rawHeaders` gives them. */
  readonly rawHeaders: readonly string[];
}

/** A parsed head. */
export interface ParsedHead {
  readonly method: string;
  readonly path: string;
  /** Without the question mark. */
  readonly query: string;
  /** Lower-case name to value as it is signed: trimmed, one space inside, repeated ones joined in order. */
  readonly headers: ReadonlyMap<string, string>;
}

export function parseHead({ method, target, rawHeaders }: RawRequestHead): ParsedHead {
  const mark = target.indexOf('?');
  const headers = new Map<string, string>();
  for (let index = 0; index + 1 < rawHeaders.length; index += 2) {
    const name = (rawHeaders[index] ?? '').toLowerCase();
    const value = signedSpelling(rawHeaders[index + 1] ?? '');
    const before = headers.get(name);
    headers.set(name, before === undefined ? value : `${before},${value}`);
  }
  return {
    method,
    path: mark < 0 ? target : target.slice(0, mark),
    query: mark < 0 ? '' : target.slice(mark + 1),
    headers,
  };
}

/** `\s` would also take the byte A0, which is the second half of many UTF-8 letters. */
const looseSpace = /^[ \t\r\n\f\v]|[ \t\r\n\f\v]$|[\t\r\n\f\v]| {2}/;

function signedSpelling(value: string): string {
  if (!looseSpace.test(value)) return value;
  return value.replaceAll(/[ \t\r\n\f\v]+/g, ' ').replaceAll(/^ | $/g, '');
}
