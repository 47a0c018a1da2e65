import type { Json } from '../../json/json-values.ts';
import { userEndpoint } from '../../routing/endpoint.ts';
import { page } from '../../http/reply.ts';
import type { Account } from '../../model/account.ts';

const shared = {
  method: 'GET',
  acceptedScopes: 'user, user:email',
  scopes: ['user:email'],
} as const;

export const listEmails = userEndpoint({
  ...shared,
  operation: 'users/list-emails-for-authenticated',
  path: '/user/emails',
  docs: 'users#list-email-addresses-for-the-authenticated-user',
  handle: async ({ caller, page: bounds }) => pageOfEmails(caller.account, bounds.offset),
});

export const listPublicEmails = userEndpoint({
  ...shared,
  operation: 'users/list-public-emails-for-authenticated',
  path: '/user/public_emails',
  docs: 'users#list-public-email-addresses-for-the-authenticated-user',
  handle: async ({ caller, page: bounds }) => pageOfEmails(caller.account, bounds.offset),
});

function pageOfEmails(account: Account, offset: number): ReturnType<typeof page> {
  const emails = emailsOf(account);
  return page(emails.slice(offset), emails.length);
}

/** An account has at most one address. Its profile shows it, and the administrator who made the account vouches for it. */
function emailsOf({ email }: Account): Json[] {
  return email === null ? [] : [{ email, primary: true, verified: true, visibility: 'public' }];
}
