import { ok, noContent } from '../../http/reply.ts';
import { openEndpoint, type Endpoint } from '../../routing/endpoint.ts';
import { makeToken, sha256 } from '../token.ts';
import { revokeAccess } from './grant-access.ts';
import { ownToken, tokenBody } from './own-token.ts';
import { representApplicationToken } from './token-json.ts';
import { replaceApplicationToken, deleteApplicationToken } from './token-store.ts';

/** The tokens that an OAuth application has got, and their authorization. */
export const applicationRoutes: readonly Endpoint[] = [
  /** An application asks whether a token of its own is good, and whose it is. */
  openEndpoint({
    operation: 'apps/check-token',
    method: 'POST',
    path: '/applications/:client/token',
    docs: 'apps#check-a-token',
    body: tokenBody,
    async handle({ path, body, caller, urls }, { database }) {
      const text = body.access_token;
      const found = await database.read((sql) => ownToken(sql, caller, path.client, text));
      return ok(representApplicationToken(found, text, urls));
    },
  }),

  /** An application puts another token in the place of one that too many may know. */
  openEndpoint({
    operation: 'apps/reset-token',
    method: 'PATCH',
    path: '/applications/:client/token',
    docs: 'apps#reset-a-token',
    body: tokenBody,
    async handle({ path, body, caller, urls }, ports) {
      const next = makeToken(ports.randomBytes(32));
      const found = await ports.database.write(async (sql) => {
        const own = await ownToken(sql, caller, path.client, body.access_token);
        const kept = { sha256: sha256(next), lastEight: next.slice(-8) };
        await replaceApplicationToken(sql, own.token.id, kept);
        return own;
      });
      return ok(representApplicationToken(found, next, urls));
    },
  }),

  /** An application ends one of its tokens; what the user has allowed it stays. */
  openEndpoint({
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
  }),

  /** An application gives back all that the user of one of its tokens has allowed it. */
  openEndpoint({
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
  }),
];
