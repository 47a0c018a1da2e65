import type { Operation } from '#functions-contract/operation.ts';

import type { ServedOperation } from './call.ts';

/** Operations behind one method and path: one is meant when the query names no other. */
export interface SharedRoute {
  readonly method: Operation['method'];
  readonly path: string;
  readonly operations: readonly [OfRoute, ...OfRoute[]];
}

interface OfRoute {
  readonly served: ServedOperation;
  /** What the query must hold for this one. */
  readonly requiredQuery: readonly (readonly [name: string, value: string])[];
}

/** Some paths of the contract end in a query that distinguishes two operations: `/layers?find=LayerVersion`. */
export function sharedRoutes(operations: readonly ServedOperation[]): readonly SharedRoute[] {
  const routes = new Map<string, SharedRoute>();
  for (const served of operations) {
    const { method } = served.operation;
    const { path, query } = splitPath(served.operation);
    const key = `${method} ${path}`;
    const before = routes.get(key)?.operations;
    const last: OfRoute = { served, requiredQuery: [...query] };
    routes.set(key, { method, path, operations: before ? [...before, last] : [last] });
  }
  return [...routes.values()];
}

/** The operation that a request means. */
export function selectOperation(
  { operations }: SharedRoute,
  query: URLSearchParams,
): ServedOperation {
  const named = operations.find(
    ({ requiredQuery }) =>
      requiredQuery.length > 0 && requiredQuery.every(([name, value]) => query.get(name) === value),
  );
  const plain = operations.find(({ requiredQuery }) => requiredQuery.length === 0);
  return (named ?? plain ?? operations[0]).served;
}

function splitPath({ path }: Operation): { path: string; query: URLSearchParams } {
  const [before = '', query] = path.split('?');
  return { path: before, query: new URLSearchParams(query) };
}
