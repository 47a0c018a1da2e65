import Type from 'typebox';

import { representAccount } from '../../accounts/account-json.ts';
import { createUser } from '../../accounts/create-user.ts';
import { userEndpoint } from '../../routing/endpoint.ts';
import { created } from '../../http/reply.ts';

/** The user has no password: an administrator makes tokens for it, or sets one on the command line. */
export const createUserEndpoint = userEndpoint({
  operation: 'enterprise-admin/create-user',
  method: 'POST',
  path: '/admin/users',
  docs: 'enterprise-admin#create-a-user',
  acceptedScopes: 'site_admin',
  siteAdmin: true,
  body: Type.Object({ login: Type.String(), email: Type.Optional(Type.String()) }),
  async handle({ body, urls }, ports) {
    const user = await createUser(ports, body);
    return created(representAccount(user, urls), urls.user(user.login));
  },
});
