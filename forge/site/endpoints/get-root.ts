import { openEndpoint } from '../../conventions/endpoint.ts';
import { ok } from '../../conventions/reply.ts';
import { representRoot } from '../root-representation.ts';

export const getRoot = openEndpoint({
  operation: 'meta/root',
  method: 'GET',
  path: '/',
  docs: 'meta#root-endpoint',
  handle: async ({ urls }) => ok(representRoot(urls)),
});
