import Type from 'typebox';

import { ok } from '../http/endpoint-result.ts';
import { nullable } from '../http/schemas.ts';
import { userEndpoint, type Endpoint } from '../routing/endpoint.ts';
import type { AnswerDocument } from './answer-document.ts';
import { rateLimited } from './rate-limited.ts';

/** Body of a GraphQL request, which carries the files of a commit in variables, in base 64. */
const bodyBytesMax = 45 * 1024 * 1024;

/** GraphQL over the operations of the REST API. */
export function graphqlRoutes(restEndpoints: () => readonly Endpoint[]): readonly Endpoint[] {
  let loading: Promise<AnswerDocument> | undefined;
  // With the first document: loading the library and building the schema would slow every start down.
  const load = async (): Promise<AnswerDocument> => {
    const { createAnswer } = await import('./answer-document.ts');
    const operations = restEndpoints().map(
      (endpoint) => [endpoint.declaration.operation, endpoint] as const,
    );
    return createAnswer(new Map(operations));
  };
  return [
    userEndpoint({
      operation: 'graphql',
      method: 'POST',
      path: '/graphql',
      // The last for clients that append it to the URL of the REST API.
      paths: ['/api/graphql', '/graphql', '/api/v3/graphql'],
      docs: 'graphql',
      bodyBytesMax,
      rateResource: 'graphql',
      installations: true,
      body: Type.Object({
        query: Type.Optional(Type.Unknown()),
        variables: Type.Optional(nullable(Type.Object({}, { additionalProperties: true }))),
        operationName: Type.Optional(nullable(Type.String())),
      }),
      async handle(request, ports) {
        if (request.overLimit) {
          return ok({ errors: [rateLimited(request.caller)] }, { cacheControl: 'no-cache' });
        }
        const { query, variables, operationName } = request.body;
        loading ??= load();
        const answer = await loading;
        const asked = {
          query,
          variables: { ...variables },
          operationName: operationName ?? undefined,
        };
        return ok(await answer(ports, request, asked), { cacheControl: 'no-cache' });
      },
    }),
  ];
}
