/**
 * The path as it is signed: the raw one without empty and dot segments, every byte of it encoded once more, so that the
 * `%3A` of an ARN becomes `%253A`. Doubled slashes, which clients make of an empty name, collapse here and only here.
 */
export function canonicalPath(rawPath: string): string {
  return encodeBytes(withoutDotSegments(rawPath), pathEscaped);
}

const pathEscaped = /[^A-Za-z0-9\-_.~/]/g;

function withoutDotSegments(path: string): string {
  if (path !== '' && !hasDotSegments.test(path)) return path;
  const segments: string[] = [];
  for (const segment of path.split('/')) {
    if (segment === '..') segments.pop();
    else if (segment !== '' && segment !== '.') segments.push(segment);
  }
  const trailing = path.endsWith('/') && segments.length > 0 ? '/' : '';
  return `/${segments.join('/')}${trailing}`;
}

const hasDotSegments = /^[^/]|\/\/|\/\.{1,2}(\/|$)/;

/** One name and value of a query, decoded. */
export type Parameter = readonly [name: string, value: string];

/** A plus sign is literal: no client of the service sends it for a space. */
export function readQueryParameters(rawQuery: string): Parameter[] {
  if (rawQuery === '') return [];
  return rawQuery
    .split('&')
    .filter((part) => part !== '')
    .map((part) => {
      const equals = part.indexOf('=');
      if (equals < 0) return [decodeBytes(part), ''];
      return [decodeBytes(part.slice(0, equals)), decodeBytes(part.slice(equals + 1))];
    });
}

/** The query as it is signed: encoded in the one strict way, sorted by name, then by value. */
export function canonicalQuery(parameters: readonly Parameter[]): string {
  return parameters
    .map(
      ([name, value]) =>
        [encodeBytes(name, queryEscaped), encodeBytes(value, queryEscaped)] as const,
    )
    .toSorted(([name, value], [otherName, otherValue]) =>
      name === otherName ? compare(value, otherValue) : compare(name, otherName),
    )
    .map(([name, value]) => `${name}=${value}`)
    .join('&');
}

const queryEscaped = /[^A-Za-z0-9\-_.~]/g;

function compare(left: string, right: string): number {
  if (left === right) return 0;
  return left < right ? -1 : 1;
}

/** Encodes what the pattern finds; texts have a character for each byte, as raw requests do. */
function encodeBytes(text: string, escaped: RegExp): string {
  return text.replaceAll(escaped, (character) => escapes[character.charCodeAt(0)] ?? '%');
}

/** The bytes, a character each, that a percent-encoded text stands for; a stray `%` stands for itself. */
function decodeBytes(text: string): string {
  if (!text.includes('%')) return text;
  return text.replaceAll(/%([0-9a-fA-F]{2})/g, (_whole, digits: string) =>
    String.fromCharCode(Number.parseInt(digits, 16)),
  );
}

/** `%00` to `%FF`. */
const escapes: readonly string[] = Array.from(
  { length: 256 },
  (_none, byte) => `%${byte.toString(16).toUpperCase().padStart(2, '0')}`,
);
