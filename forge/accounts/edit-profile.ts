import type { Sql } from '#platform/database/database.ts';

import { type FieldError, invalid } from '../errors/api-error.ts';
import { invalidateAccounts } from '../events/invalidate.ts';
import type { Account } from '../model/account.ts';
import { changeProfile } from './account-store.ts';
import { emailProblem, isPrintable, nameProblem } from './create-user.ts';

type ProfileMember = 'name' | 'company' | 'blog' | 'location' | 'email' | 'bio';

/** What people say of themselves, and owners of their organization. */
type Profile = Pick<Account, ProfileMember>;

export const bioCharactersMax = 160;
export const profileCharactersMax = 255;

/** Changes those members that are given, or refuses with what is wrong; empty ones become null. */
export async function editProfile(
  sql: Sql,
  account: Account,
  change: { readonly [M in ProfileMember]?: string | null | undefined },
  now: number,
): Promise<Account> {
  const value = (member: ProfileMember): string | null => {
    const given = change[member];
    if (given === undefined) return account[member];
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
  await changeProfile(await invalidateAccounts(sql), edited);
  return edited;
}

/** Members that stay as they are refuse no change of others: older versions accepted more. */
function problemsOf(account: Account, profile: Profile): FieldError[] {
  const isUser = account.kind === 'user';
  const changed = (member: ProfileMember): string | null =>
    profile[member] === account[member] ? null : profile[member];
  const [name, email] = [changed('name'), changed('email')];
  const sentences = {
    name: name === null ? undefined : nameProblem(name),
    company: lineProblem('company', changed('company')),
    blog: lineProblem('blog', changed('blog')),
    location: lineProblem('location', changed('location')),
    email: email === null ? undefined : emailProblem(email),
    [isUser ? 'bio' : 'description']: bioProblem(changed('bio')),
  };
  // Users sign in by their address and are the authors of its commits, and this server sends no mail that would prove it.
  if (isUser && profile.email !== account.email) {
    sentences.email = 'email can be changed only by the operator of this server';
  }
  return Object.entries(sentences).flatMap(([field, message]) =>
    message === undefined
      ? []
      : [{ resource: isUser ? 'User' : 'Organization', field, code: 'custom', message }],
  );
}

function lineProblem(member: string, value: string | null): string | undefined {
  if (value === null || (value.length <= profileCharactersMax && isPrintable(value))) {
    return undefined;
  }
  return `${member} must be at most ${profileCharactersMax} printable characters`;
}

function bioProblem(value: string | null): string | undefined {
  if (value === null) return undefined;
  if (Array.from(value).length > bioCharactersMax) {
    return `is too long (maximum is ${bioCharactersMax} characters)`;
  }
  return isPrintable(value.replaceAll(/\r?\n/g, '')) ? undefined : 'must be printable text';
}
