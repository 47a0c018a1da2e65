import Type from 'typebox';

import type { Sql } from '#platform/database/database.ts';
import type { PageBounds } from '#platform/database/page-store.ts';

import { findSecondFactor } from '../auth/second-factor-store.ts';
import { notFound } from '../errors/api-error.ts';
import { created, noContent, ok, page } from '../http/endpoint-result.ts';
import { stringEnum, nullable } from '../http/schemas.ts';
import { countFollows } from '../follows/follow-store.ts';
import type { Json } from '../json/json-values.ts';
import { countRepositories } from '../repositories/repository-list-store.ts';
import { userEndpoint, openEndpoint, type Endpoint } from '../routing/endpoint.ts';
import { type ProfileCounts, representOwnProfile, representProfile } from './account-json.ts';
import { findAccount } from './account-store.ts';
import { addEmails, emailsMax, removeEmails, setEmailVisibility } from './change-emails.ts';
import { editProfile } from './edit-profile.ts';
import { type EmailAddress, listEmails } from './email-store.ts';

const optionalText = Type.Optional(nullable(Type.String()));

/** Of the bodies that change a user or an organization. */
export const profileProperties = {
  name: optionalText,
  company: optionalText,
  blog: optionalText,
  location: optionalText,
  email: optionalText,
} as const;

const emailChange = { acceptedScopes: 'user', scopes: ['user'] } as const;

/** As an object, or the list itself. */
const emailsBody = {
  arrayField: 'emails',
  body: Type.Object({ emails: Type.Array(Type.String(), { minItems: 1, maxItems: emailsMax }) }),
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
    body: Type.Object({ ...profileProperties, bio: optionalText }),
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
    handle: async ({ caller, page: bounds }, { database }) =>
      pageOfEmails(await database.read((sql) => listEmails(sql, caller.account.id)), bounds),
  }),

  userEndpoint({
    ...emailChange,
    ...emailsBody,
    operation: 'users/add-email-for-authenticated',
    method: 'POST',
    path: '/user/emails',
    docs: 'users#add-an-email-address-for-the-authenticated-user',
    async handle({ caller, body, urls }, ports) {
      const added = await addEmails(ports, caller.account.id, body.emails);
      return created(added.map(representEmail), urls.api('/user/emails'));
    },
  }),

  userEndpoint({
    ...emailChange,
    ...emailsBody,
    operation: 'users/delete-email-for-authenticated',
    method: 'DELETE',
    path: '/user/emails',
    docs: 'users#delete-an-email-address-for-the-authenticated-user',
    async handle({ caller, body }, ports) {
      await removeEmails(ports, caller.account.id, body.emails);
      return noContent();
    },
  }),

  userEndpoint({
    ...emailChange,
    operation: 'users/set-primary-email-visibility-for-authenticated',
    method: 'PATCH',
    path: '/user/email/visibility',
    docs: 'users#set-primary-email-visibility-for-the-authenticated-user',
    body: Type.Object({ visibility: stringEnum(['public', 'private']) }),
    async handle({ caller, body }, ports) {
      const changed = await setEmailVisibility(ports, caller.account.id, body.visibility);
      return ok(changed.map(representEmail));
    },
  }),

  userEndpoint({
    ...emailList,
    operation: 'users/list-public-emails-for-authenticated',
    path: '/user/public_emails',
    docs: 'users#list-public-email-addresses-for-the-authenticated-user',
    async handle({ caller, page: bounds }, { database }) {
      const emails = await database.read((sql) => listEmails(sql, caller.account.id));
      return pageOfEmails(
        emails.filter(({ primary, hidden }) => primary && !hidden),
        bounds,
      );
    },
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

function pageOfEmails(
  emails: readonly EmailAddress[],
  { offset, size }: PageBounds,
): ReturnType<typeof page> {
  return page(emails.slice(offset, offset + size).map(representEmail), emails.length);
}

/** No mail is sent from here: addresses are verified, as on an enterprise server without mail. */
function representEmail({ email, primary, hidden }: EmailAddress): Json {
  return {
    email,
    primary,
    verified: true,
    visibility: primary ? (hidden ? 'private' : 'public') : null,
  };
}
