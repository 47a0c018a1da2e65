import { resolveUser } from '../accounts/resolve-account.ts';
import { setSuspended } from '../accounts/account-store.ts';
import { endSessions } from '../auth/sessions/session-store.ts';
import { refuse } from '../errors/api-error.ts';
import { writeAccounts } from '../events/invalidate.ts';
import type { AdministrationPorts } from '../ports/ports.ts';

/** Reason of a suspension, for the audit log. */
export const reasonCharactersMax = 1024;

/** Lets a user sign in by no credential any more, until it is unsuspended. What it has made stays. */
export async function suspendUser(
  { database, clock }: Pick<AdministrationPorts, 'database' | 'clock'>,
  login: string,
): Promise<void> {
  const now = clock.now();
  await writeAccounts(database, async (sql) => {
    const user = await resolveUser(sql, login, 'User', 'login');
    // Users cannot suspend themselves: the server always has someone who can end a suspension.
    if (user.siteAdmin) {
      refuse({
        kind: 'unprocessable',
        message: `${user.login} is a site administrator. Demote the user first.`,
      });
    }
    if (user.suspendedAt === null) await setSuspended(sql, user.id, now, now);
    await endSessions(sql, user.id, { allBut: '' });
  });
}

/** The credentials of before are valid again, except sessions. */
export async function unsuspendUser(
  { database, clock }: Pick<AdministrationPorts, 'database' | 'clock'>,
  login: string,
): Promise<void> {
  await writeAccounts(database, async (sql) => {
    const user = await resolveUser(sql, login, 'User', 'login');
    if (user.suspendedAt !== null) await setSuspended(sql, user.id, null, clock.now());
  });
}
