import type { Sql } from '#platform/database/database.ts';

import { type FieldError, invalid } from '../errors/api-error.ts';
import { type AccountsWrite, invalidateAccounts } from '../events/invalidate.ts';
import { type Account, caseless } from '../model/account.ts';
import { changeProfile } from './account-store.ts';
import { swapPrimary } from './change-emails.ts';
import { listEmails } from './email-store.ts';
import { emailProblem, isPrintable, nameProblem } from './create-user.ts';

type ProfileField = 'name' | 'company' | 'blog' | 'location' | 'email' | 'bio';

/** What people say of themselves, and owners of their organization. */
type Profile = Pick<Account, ProfileField>;

/** Biography of a user, description of an organization. */
export const bioCharactersMax = 160;
/** Any other field of a profile. */
export const profileCharactersMax = 255;

/** Changes those fields that are given, or refuses with what is wrong; empty ones become null. */
export async function editProfile(
  sql: Sql,
  account: Account,
  change: { readonly [M in ProfileField]?: string | null | undefined },
  now: number,
): Promise<Account> {
  const value = (field: ProfileField): string | null => {
    const given = change[field];
    if (given === undefined) return account[field];
    return given === null || given.trim() === '' ? null : given.trim();
  };
  const profile = {
    name: value('name'),
    company: value('company'),
    blog: value('blog'),
    location: value('location'),
    email: value('email'),
    bio: value('bio'),
  };
  const problems = problemsOf(account, profile);
  if (problems.length > 0) invalid(...problems);
  const edited = { ...account, ...profile, updatedAt: now };
  const write = await invalidateAccounts(sql);
  await changeProfile(write, edited);
  if (account.kind !== 'user' || profile.email === account.email) return edited;
  return { ...edited, email: await showEmail(write, account, profile.email, now) };
}

/** A profile shows the primary address: one that is given becomes it, and without one it is hidden. */
async function showEmail(
  sql: AccountsWrite,
  { id }: Account,
  given: string | null,
  now: number,
): Promise<string | null> {
  const emails = await listEmails(sql, id);
  const wanted = given === null ? emails[0] : emails.find((each) => isSame(each.email, given));
  if (wanted) {
    await swapPrimary(sql, { accountId: id, email: wanted.email, hidden: given === null, now });
    return given === null ? null : wanted.email;
  }
  const message = `email must be one of your addresses: add it with POST /user/emails first`;
  return given === null
    ? null
    : invalid({ resource: 'User', field: 'email', code: 'custom', message });
}

function isSame(email: string, other: string): boolean {
  return caseless(email) === caseless(other);
}

/** Fields that stay as they are refuse no change of others: older versions accepted more. */
function problemsOf(account: Account, profile: Profile): FieldError[] {
  const isUser = account.kind === 'user';
  const changed = (field: ProfileField): string | null =>
    profile[field] === account[field] ? null : profile[field];
  const [name, email] = [changed('name'), changed('email')];
  const sentences = {
    name: name === null ? undefined : nameProblem(name),
    company: lineProblem('company', changed('company')),
    blog: lineProblem('blog', changed('blog')),
    location: lineProblem('location', changed('location')),
    email: email === null || isUser ? undefined : emailProblem(email),
    [isUser ? 'bio' : 'description']: bioProblem(changed('bio')),
  };
  return Object.entries(sentences).flatMap(([field, message]) =>
    message === undefined
      ? []
      : [{ resource: isUser ? 'User' : 'Organization', field, code: 'custom', message }],
  );
}

function lineProblem(field: string, value: string | null): string | undefined {
  if (value === null || (value.length <= profileCharactersMax && isPrintable(value))) {
    return undefined;
  }
  return `${field} must be at most ${profileCharactersMax} printable characters`;
}

function bioProblem(value: string | null): string | undefined {
  if (value === null) return undefined;
  if (Array.from(value).length > bioCharactersMax) {
    return `is too long (maximum is ${bioCharactersMax} characters)`;
  }
  return isPrintable(value.replaceAll(/\r?\n/g, '')) ? undefined : 'must be printable text';
}
