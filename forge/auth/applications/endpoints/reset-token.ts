import { makeToken, sha256 } from '../../token.ts';
import { openEndpoint } from '../../../routing/endpoint.ts';
import { ok } from '../../../http/reply.ts';
import { ownToken, tokenBody } from '../own-token.ts';
import { representApplicationToken } from '../token-json.ts';
import { replaceApplicationToken } from '../token-store.ts';

/** An application puts another token in the place of one that too many may know. */
export const resetToken = openEndpoint({
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
});
