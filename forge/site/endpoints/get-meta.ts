import { openEndpoint } from '../../routing/endpoint.ts';
import { ok } from '../../http/reply.ts';

/** Passwords are checked by this server itself; it sends nothing from addresses of its own. */
export const getMeta = openEndpoint({
  operation: 'meta/get',
  method: 'GET',
  path: '/meta',
  docs: 'meta#get-meta-information',
  handle: async () => ok({ verifiable_password_authentication: true }),
});
