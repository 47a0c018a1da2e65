import { decodeBytes, encodeBytes } from './percent-encoding.ts';

/** One name and value of a query, decoded. */
export type Parameter = readonly [name: string, value: string];

/** A plus sign is a plus sign: no client of the service sends it for a space. */
export function readQuery(rawQuery: string): Parameter[] {
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
    .map(([name, value]) => [encodeBytes(name, reserved), encodeBytes(value, reserved)] as const)
    .toSorted(([name, value], [otherName, otherValue]) =>
      name === otherName ? compare(value, otherValue) : compare(name, otherName),
    )
    .map(([name, value]) => `${name}=${value}`)
    .join('&');
}

const reserved = /[^A-Za-z0-9\-_.~]/g;

function compare(left: string, right: string): number {
  if (left === right) return 0;
  return left < right ? -1 : 1;
}
