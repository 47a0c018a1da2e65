import { createHash } from 'node:crypto';

import { invalidToken } from './logs-errors.ts';

/** A page token is valid only for the same query. */
export function writeToken(position: readonly (string | number)[], query: object): string {
  return Buffer.from(JSON.stringify([digest(query), ...position])).toString('base64url');
}

/** What `writeToken` wrote after the digest; undefined without a token. */
export function readToken(
  token: string | undefined,
  query: object,
): readonly unknown[] | undefined {
  if (token === undefined) return undefined;
  try {
    const read: unknown = JSON.parse(Buffer.from(token, 'base64url').toString());
    if (Array.isArray(read) && read[0] === digest(query)) return read.slice(1);
  } catch {
    // Refused below, like any other token that is none.
  }
  throw invalidToken();
}

function digest(query: object): string {
  const { nextToken: _token, limit: _limit, ...parameters } = { nextToken: '', limit: 0, ...query };
  const sorted = Object.entries(parameters).toSorted(([one], [other]) => (one < other ? -1 : 1));
  return createHash('sha256').update(JSON.stringify(sorted)).digest('base64url').slice(0, 16);
}
