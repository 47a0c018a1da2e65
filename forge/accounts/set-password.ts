import { invalid } from '../errors/api-error.ts';
import { writeAccounts } from '../events/invalidate.ts';
import type { AdministrationPorts } from '../ports/ports.ts';
import { replacePasswordHash } from './account-store.ts';
import { passwordProblem } from './create-user.ts';
import { resolveUser } from './resolve-account.ts';

/** Gives a user a password, or another one, which ends the sessions of the user. */
export async function setPassword(
  { database, passwords, clock }: AdministrationPorts,
  login: string,
  password: string,
): Promise<void> {
  const message = passwordProblem(password);
  if (message !== undefined) {
    invalid({ resource: 'User', field: 'password', code: 'custom', message });
  }
  const hash = await passwords.hash(password);
  await writeAccounts(database, async (sql) => {
    const user = await resolveUser(sql, login, 'User', 'login');
    await replacePasswordHash(sql, user.id, hash, clock.now());
  });
}
