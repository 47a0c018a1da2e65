import Type from 'typebox';

import { createToken } from '../../auth/create-token.ts';
import { userOfPath } from '../../accounts/organization-access.ts';
import { userEndpoint } from '../../routing/endpoint.ts';
import { created } from '../../http/reply.ts';
import { orNull } from '../../http/schemas.ts';
import { representAuthorization } from '../authorization-json.ts';

/** A site administrator makes a token for somebody. */
export const createAuthorization = userEndpoint({
  operation: 'enterprise-admin/create-impersonation-o-auth-token',
  method: 'POST',
  path: '/admin/users/:username/authorizations',
  docs: 'enterprise-admin#create-an-impersonation-oauth-token',
  acceptedScopes: 'site_admin',
  siteAdmin: true,
  body: Type.Object({
    scopes: Type.Array(Type.String()),
    note: Type.Optional(orNull(Type.String())),
  }),
  async handle({ path, body, caller, urls }, ports) {
    const user = await ports.database.read((sql) => userOfPath(sql, path.username));
    const made = await createToken(ports, {
      login: user.login,
      scopes: body.scopes,
      note: body.note ?? undefined,
      issuerId: caller.account.id,
    });
    return created(representAuthorization(made, urls), urls.api(`/authorizations/${made.id}`));
  },
});
