import { sha256 } from '../token.ts';
import type { Ports } from '../../ports/ports.ts';
import { findSessionOwner } from './session-store.ts';
import type { Session } from './session.ts';

/** The session of a cookie. Only web pages use cookies; the API and git do not. */
export async function findSession(
  { database, clock }: Pick<Ports, 'clock' | 'database'>,
  secret: string,
): Promise<Session | undefined> {
  const account = await database.readOne((sql) =>
    findSessionOwner(sql, sha256(secret), clock.now()),
  );
  return account && { account, secret };
}
