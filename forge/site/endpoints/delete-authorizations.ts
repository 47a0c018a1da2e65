import { deleteIssuedTokens } from '../../auth/credential-store.ts';
import { userOfPath } from '../../accounts/organization-access.ts';
import { userEndpoint } from '../../routing/endpoint.ts';
import { noContent } from '../../http/reply.ts';

/** Ends all tokens that site administrators have made for somebody. */
export const deleteAuthorizations = userEndpoint({
  operation: 'enterprise-admin/delete-impersonation-o-auth-token',
  method: 'DELETE',
  path: '/admin/users/:username/authorizations',
  docs: 'enterprise-admin#delete-an-impersonation-oauth-token',
  acceptedScopes: 'site_admin',
  siteAdmin: true,
  async handle({ path }, { database }) {
    await database.write(async (sql) => {
      const user = await userOfPath(sql, path.username);
      await deleteIssuedTokens(sql, user.id);
    });
    return noContent();
  },
});
