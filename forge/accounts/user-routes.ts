import Type from 'typebox';

import type { Sql } from '#platform/database/database.ts';

import { findSecondFactor } from '../auth/second-factor-store.ts';
import { notFound } from '../errors/api-error.ts';
import { ok, page } from '../http/reply.ts';
import { orNull } from '../http/schemas.ts';
import { countFollows } from '../follows/follow-store.ts';
import type { Json } from '../json/json-values.ts';
import type { Account } from '../model/account.ts';
import { countRepositories } from '../repositories/repository-list-store.ts';
import { userEndpoint, openEndpoint, type Endpoint } from '../routing/endpoint.ts';
import { type ProfileCounts, representOwnProfile, representProfile } from './account-json.ts';
import { findAccount } from './account-store.ts';
import { editProfile } from './edit-profile.ts';

const optionalText = Type.Optional(orNull(Type.String()));

/** Of the bodies that change a user or an organization. */
export const profileMembers = {
  name: optionalText,
  company: optionalText,
  blog: optionalText,
  location: optionalText,
  email: optionalText,
} as const;

const emailList = {
  method: 'GET',
  acceptedScopes: 'user, user:email',
  scopes: ['user:email'],
} as const;

/** Users and their e-mail addresses. */
export const userRoutes: readonly Endpoint[] = [
  userEndpoint({
    operation: 'users/get-authenticated',
    method: 'GET',
    path: '/user',
    docs: 'users#get-the-authenticated-user',
    async handle({ caller, urls }, { database }) {
      const { account } = caller;
      const details = await database.read((sql) => ownDetails(sql, account.id));
      return ok(representOwnProfile(account, details, urls), { lastModified: account.updatedAt });
    },
  }),

  userEndpoint({
    operation: 'users/update-authenticated',
    method: 'PATCH',
    path: '/user',
    docs: 'users#update-the-authenticated-user',
    acceptedScopes: 'user',
    scopes: ['user'],
    body: Type.Object({ ...profileMembers, bio: optionalText }),
    async handle({ caller, body, now, urls }, { database }) {
      return database.write(async (sql) => {
        const account = (await findAccount(sql, caller.account.login)) ?? notFound();
        const edited = await editProfile(sql, account, body, now);
        return ok(representOwnProfile(edited, await ownDetails(sql, edited.id), urls));
      });
    },
  }),

  openEndpoint({
    operation: 'users/get-by-username',
    method: 'GET',
    path: '/users/:username',
    docs: 'users#get-a-user',
    async handle({ path, urls }, { database }) {
      const found = await database.read(async (sql) => {
        const account = await findAccount(sql, path.username);
        if (!account) return undefined;
        const { id } = account;
        const counts = { ...(await countRepositories(sql, id)), ...(await countFollows(sql, id)) };
        return { account, counts };
      });
      if (!found) return notFound();
      return ok(representProfile(found.account, found.counts, urls), {
        lastModified: found.account.updatedAt,
      });
    },
  }),

  userEndpoint({
    ...emailList,
    operation: 'users/list-emails-for-authenticated',
    path: '/user/emails',
    docs: 'users#list-email-addresses-for-the-authenticated-user',
    handle: async ({ caller, page: bounds }) => pageOfEmails(caller.account, bounds.offset),
  }),

  userEndpoint({
    ...emailList,
    operation: 'users/list-public-emails-for-authenticated',
    path: '/user/public_emails',
    docs: 'users#list-public-email-addresses-for-the-authenticated-user',
    handle: async ({ caller, page: bounds }) => pageOfEmails(caller.account, bounds.offset),
  }),
];

async function ownDetails(
  sql: Sql,
  id: number,
): Promise<ProfileCounts & { readonly twoFactor: boolean }> {
  return {
    ...(await countRepositories(sql, id)),
    ...(await countFollows(sql, id)),
    twoFactor: (await findSecondFactor(sql, id)) !== undefined,
  };
}

function pageOfEmails(account: Account, offset: number): ReturnType<typeof page> {
  const emails = emailsOf(account);
  return page(emails.slice(offset), emails.length);
}

/** An account has at most one address. Its profile shows it, and the administrator who made the account vouches for it. */
function emailsOf({ email }: Account): Json[] {
  return email === null ? [] : [{ email, primary: true, verified: true, visibility: 'public' }];
}
