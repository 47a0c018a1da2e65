import { openEndpoint } from '../../../routing/endpoint.ts';
import { ok } from '../../../http/reply.ts';
import { ownToken, tokenBody } from '../own-token.ts';
import { representApplicationToken } from '../token-json.ts';

/** An application asks whether a token of its own is good, and whose it is. */
export const checkToken = openEndpoint({
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
});
