import { openEndpoint } from '../../../routing/endpoint.ts';
import { noContent } from '../../../http/reply.ts';
import { revokeAccess } from '../grant-access.ts';
import { ownToken, tokenBody } from '../own-token.ts';

/** An application gives back all that the user of one of its tokens has allowed it. */
export const deleteAuthorization = openEndpoint({
  operation: 'apps/delete-authorization',
  method: 'DELETE',
  path: '/applications/:client/grant',
  docs: 'apps#delete-an-app-authorization',
  body: tokenBody,
  async handle({ path, body, caller }, { database }) {
    await database.write(async (sql) => {
      const { application, token } = await ownToken(sql, caller, path.client, body.access_token);
      await revokeAccess(sql, token.account.id, application.id);
    });
    return noContent();
  },
});
