/** What random requests are sent to: everything that both services answer over HTTP. */
import * as fc from 'fast-check';

import type { Operation } from '#functions-contract/operation.ts';
import { hostileInput } from '#functions/testing/hostile-inputs.ts';
import { requestOf } from '#functions/testing/request-of.ts';
import type { Endpoint } from '#forge/routing/endpoint.ts';

import { loadOperation, operationCommands } from '../cli/operations/operations.ts';
import { endpoints } from '../forge/routes.ts';
import {
  hostileAuthorization,
  hostileBody,
  hostileQuery,
  nastyText,
} from '../forge/testing/hostile-values.ts';
import { randomDocument, rootFields } from './random-documents.ts';
import { gitRoutes } from './random-git.ts';
import { pagesAndForms } from './random-pages.ts';
import { otherProtocols } from './random-protocols.ts';
import { filledPath, type Route, seldom, someHeaders, withQuery } from './random-route.ts';

export async function allRoutes(): Promise<readonly Route[]> {
  const operations = await Promise.all(operationCommands.map(loadOperation));
  return [
    ...endpoints.map((endpoint) => toEndpoint(endpoint)),
    ...operations.flatMap((operation) => (operation ? [toOperation(operation)] : [])),
    ...pagesAndForms(),
    ...gitRoutes(),
    ...rootFields().map(toGraphql),
    ...otherProtocols(),
  ];
}

function toEndpoint({ declaration, bodySchema }: Endpoint): Route {
  const { method, path, paths } = declaration;
  return (targets) => {
    const usual = { authorization: `token ${targets.token}` };
    return fc
      .record({
        path: filledPath(paths?.[0] ?? path, targets),
        query: hostileQuery,
        headers: someHeaders,
        authorization: hostileAuthorization,
        body: method === 'GET' ? fc.constant(undefined) : hostileBody(bodySchema),
      })
      .map(({ path: chosen, query, headers, authorization, body }) => ({
        name: declaration.operation,
        method,
        target: `/api/v3${withQuery(chosen, query)}`,
        headers: {
          'user-agent': 'faults',
          ...headers,
          ...(authorization === undefined ? usual : { authorization }),
        },
        body,
      }));
  };
}

function toOperation(operation: Operation): Route {
  return (targets) =>
    hostileInput(operation, targets.inputs).map((input) => {
      const { method, target, headers = {}, body } = requestOf(operation, input);
      return { name: operation.name, method, target, headers, body };
    });
}

function toGraphql(field: string): Route {
  return (targets) =>
    fc
      .record({
        document: randomDocument(field, targets.nodes),
        variables: seldom(fc.dictionary(nastyText, fc.jsonValue({ maxDepth: 3 }), { maxKeys: 3 })),
        operationName: seldom(nastyText),
      })
      .map(({ document, variables, operationName }) => ({
        name: `GraphQL ${field}`,
        method: 'POST',
        target: '/api/graphql',
        headers: { 'user-agent': 'faults', authorization: `token ${targets.token}` },
        body: JSON.stringify({
          query: document,
          ...(variables ? { variables } : {}),
          ...(operationName === undefined ? {} : { operationName }),
        }),
      }));
}
