import { openEndpoint } from '../../../routing/endpoint.ts';
import { noContent } from '../../../http/reply.ts';
import { ownToken, tokenBody } from '../own-token.ts';
import { deleteApplicationToken } from '../token-store.ts';

/** An application ends one of its tokens; what the user has allowed it stays. */
export const deleteToken = openEndpoint({
  operation: 'apps/delete-token',
  method: 'DELETE',
  path: '/applications/:client/token',
  docs: 'apps#delete-an-app-token',
  body: tokenBody,
  async handle({ path, body, caller }, { database }) {
    await database.write(async (sql) => {
      const { token } = await ownToken(sql, caller, path.client, body.access_token);
      await deleteApplicationToken(sql, token.id);
    });
    return noContent();
  },
});
