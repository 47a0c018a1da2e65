import { openEndpoint } from '../../routing/endpoint.ts';
import { ok } from '../../http/reply.ts';
import { representRoot } from '../root-json.ts';

export const getRoot = openEndpoint({
  operation: 'meta/root',
  method: 'GET',
  path: '/',
  docs: 'meta#root-endpoint',
  handle: async ({ urls }) => ok(representRoot(urls)),
});
