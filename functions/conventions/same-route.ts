import type { Operation } from '#functions-contract/operation.ts';

import type { ServedOperation } from './call.ts';

/** Operations behind one method and path: at most one without a query of its own, which is meant when no other is. */
export interface SameRoute {
  readonly method: Operation['method'];
  readonly path: string;
  readonly operations: readonly [ServedOperation, ...ServedOperation[]];
}

/** Some paths of the contract end in a query that tells two operations apart: `/layers?find=LayerVersion`. */
export function sameRoutes(operations: readonly ServedOperation[]): readonly SameRoute[] {
  const routes = new Map<string, SameRoute>();
  for (const served of operations) {
    const { method } = served.operation;
    const { path } = splitPath(served.operation);
    const key = `${method} ${path}`;
    const before = routes.get(key)?.operations;
    routes.set(key, { method, path, operations: before ? [...before, served] : [served] });
  }
  return [...routes.values()];
}

/** The operation that a request means. */
export function meantBy({ operations }: SameRoute, query: URLSearchParams): ServedOperation {
  const told = operations.find(({ operation }) => {
    const own = [...splitPath(operation).query];
    return own.length > 0 && own.every(([name, value]) => query.get(name) === value);
  });
  const plain = operations.find(({ operation }) => splitPath(operation).query.size === 0);
  return told ?? plain ?? operations[0];
}

function splitPath({ path }: Operation): { path: string; query: URLSearchParams } {
  const [before = '', query] = path.split('?');
  return { path: before, query: new URLSearchParams(query) };
}
