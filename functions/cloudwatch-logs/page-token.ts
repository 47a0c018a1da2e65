import { createHash } from 'node:crypto';

import { invalidToken } from './logs-errors.ts';

/** A page token is valid only for the same query. */
export function writeToken(position: readonly (string | number)[], question: object): string {
  return Buffer.from(JSON.stringify([digest(question), ...position])).toString('base64url');
}

/** What `writeToken` wrote after the digest; undefined without a token. */
export function readToken(
  token: string | undefined,
  question: object,
): readonly unknown[] | undefined {
  if (token === undefined) return undefined;
  try {
    const read: unknown = JSON.parse(Buffer.from(token, 'base64url').toString());
    if (Array.isArray(read) && read[0] === digest(question)) return read.slice(1);
  } catch {
    // Refused below, like any other token that is none.
  }
  throw invalidToken();
}

function digest(question: object): string {
  const { nextToken: _token, limit: _limit, ...asked } = { nextToken: '', limit: 0, ...question };
  const sorted = Object.entries(asked).toSorted(([one], [other]) => (one < other ? -1 : 1));
  return createHash('sha256').update(JSON.stringify(sorted)).digest('base64url').slice(0, 16);
}
