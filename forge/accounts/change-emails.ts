import { uniqueViolation } from '#platform/database/constraint-violation.ts';

import { invalid, notFound, refuse } from '../errors/api-error.ts';
import { type AccountsWrite, writeAccounts } from '../events/invalidate.ts';
import { caseless } from '../model/account.ts';
import type { AdministrationPorts } from '../ports/ports.ts';
import { emailProblem } from './create-user.ts';
import {
  deleteEmail,
  type EmailAddress,
  insertEmail,
  isEmailTaken,
  listEmails,
  setPrimaryEmail,
} from './email-store.ts';

/** E-mail addresses of a user. */
export const emailsMax = 50;

type EmailPorts = Pick<AdministrationPorts, 'database' | 'clock'>;

/** Adds addresses, or refuses all of them. The first one of a user is the primary one. */
export async function addEmails(
  { database, clock }: EmailPorts,
  accountId: number,
  emails: readonly string[],
): Promise<readonly EmailAddress[]> {
  const added = new Map(emails.map((email) => [caseless(email.trim()), email.trim()]));
  if (added.size > emailsMax) refuseTooMany();
  for (const email of added.values()) {
    const message = emailProblem(email);
    if (message !== undefined) refuseEmail(message);
  }
  const now = clock.now();
  return inUse(() =>
    writeAccounts(database, async (sql) => {
      let present = await listEmails(sql, accountId);
      if (present.length + added.size > emailsMax) refuseTooMany();
      for (const email of added.values()) {
        if (await isEmailTaken(sql, email)) refuseEmail(`${email} is already in use`);
        if (present.length > 0) await insertEmail(sql, { accountId, email, now });
        else await setPrimaryEmail(sql, accountId, { email, hidden: false, now });
        present = await listEmails(sql, accountId);
      }
      return present.filter(({ email }) => added.has(caseless(email)));
    }),
  );
}

/** Removes addresses, or refuses all of them. */
export async function removeEmails(
  { database }: EmailPorts,
  accountId: number,
  emails: readonly string[],
): Promise<void> {
  if (emails.length > emailsMax) refuseTooMany();
  await writeAccounts(database, async (sql) => {
    const [first] = await listEmails(sql, accountId);
    for (const email of new Set(emails.map((each) => caseless(each.trim())))) {
      if (first?.primary && caseless(first.email) === email) {
        refuseEmail(
          `${first.email} is your primary address. Make another one the primary one first`,
        );
      }
      if (!(await deleteEmail(sql, accountId, email))) notFound();
    }
  });
}

/** Removes any address of a user, as an administrator may: the next one becomes the primary one. */
export async function removeEmail(
  { database, clock }: EmailPorts,
  accountId: number,
  email: string,
): Promise<void> {
  const key = caseless(email.trim());
  await writeAccounts(database, async (sql) => {
    if (await deleteEmail(sql, accountId, key)) return;
    const [first, second] = await listEmails(sql, accountId);
    if (!first || caseless(first.email) !== key) return refuseEmail('the user has no such address');
    const now = clock.now();
    if (second) await deleteEmail(sql, accountId, second.email);
    await setPrimaryEmail(sql, accountId, { ...first, email: second?.email ?? null, now });
  });
}

/** Shows the primary address on the profile and in commits that this server creates, or hides it there. */
export async function setEmailVisibility(
  { database, clock }: EmailPorts,
  accountId: number,
  visibility: 'public' | 'private',
): Promise<readonly EmailAddress[]> {
  return writeAccounts(database, async (sql) => {
    const first = (await listEmails(sql, accountId))[0];
    if (!first?.primary) return refuse({ kind: 'unprocessable', message: 'You have no address.' });
    const hidden = visibility === 'private';
    await setPrimaryEmail(sql, accountId, { ...first, hidden, now: clock.now() });
    return [{ ...first, hidden }];
  });
}

/** Makes another address of the user the primary one, shown as the one before or as asked. */
export async function makeEmailPrimary(
  ports: EmailPorts,
  accountId: number,
  email: string,
): Promise<void> {
  await inUse(() =>
    writeAccounts(ports.database, (sql) =>
      swapPrimary(sql, { accountId, email, now: ports.clock.now() }),
    ),
  );
}

/** 404 where the user has no such address. */
export async function swapPrimary(
  sql: AccountsWrite,
  change: {
    readonly accountId: number;
    readonly email: string;
    readonly now: number;
    readonly hidden?: boolean;
  },
): Promise<void> {
  const { accountId, now } = change;
  const emails = await listEmails(sql, accountId);
  const key = caseless(change.email.trim());
  const chosen = emails.find(({ email }) => caseless(email) === key) ?? notFound();
  const [first] = emails;
  const hidden = change.hidden ?? first?.hidden ?? false;
  if (!chosen.primary) {
    await deleteEmail(sql, accountId, chosen.email);
    if (first?.primary) await insertEmail(sql, { accountId, email: first.email, now });
  }
  await setPrimaryEmail(sql, accountId, { email: chosen.email, hidden, now });
}

/** Another user may add an address at the same time. */
async function inUse<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!uniqueViolation(error)) throw error;
    return refuseEmail('the address is already in use');
  }
}

function refuseTooMany(): never {
  return refuseEmail(`a user has at most ${emailsMax} addresses`);
}

function refuseEmail(message: string): never {
  return invalid({ resource: 'UserEmail', field: 'email', code: 'custom', message });
}
