import Type from 'typebox';

import { ok } from '../http/reply.ts';
import { orNull } from '../http/schemas.ts';
import { userEndpoint, type Endpoint } from '../routing/endpoint.ts';
import { runDocument } from './run-document.ts';

/** GraphQL, for operations that clients do only through GraphQL. */
export const graphqlRoutes: readonly Endpoint[] = [
  /** GitHub's REST API cannot convert a pull to a draft or mark it as ready for review. */
  userEndpoint({
    operation: 'graphql',
    method: 'POST',
    path: '/graphql',
    // The last for clients that append it to the address of the REST interface.
    addresses: ['/api/graphql', '/graphql', '/api/v3/graphql'],
    docs: 'graphql',
    body: Type.Object({
      query: Type.Optional(Type.Unknown()),
      variables: Type.Optional(orNull(Type.Object({}, { additionalProperties: true }))),
      operationName: Type.Optional(orNull(Type.String())),
    }),
    async handle({ body, caller, urls, now }, ports) {
      const { query, variables, operationName } = body;
      return ok(
        await runDocument(ports, {
          query,
          variables: { ...variables },
          operationName: operationName ?? undefined,
          caller,
          urls,
          now,
        }),
        { cacheControl: 'no-cache' },
      );
    },
  }),
];
