import type { Endpoint } from '../../routing/endpoint.ts';
import { runOperation } from '../../routing/run-operation.ts';
import type { Reply } from '../../http/reply.ts';
import type { WebContext } from './web-context.ts';
import type { SignedIn } from './with-session.ts';

/** Does for the signed-in user what an operation of the API does, by its endpoint: a page has no rules of its own. */
export type Perform = (
  context: WebContext & SignedIn,
  operation: string,
  parameters: Readonly<Record<string, string>>,
  body?: Readonly<Record<string, unknown>>,
) => Promise<Reply>;

export function createPerform(endpoints: readonly Endpoint[]): Perform {
  const byOperation = new Map(
    endpoints.map((endpoint) => [endpoint.declaration.operation, endpoint]),
  );
  return async ({ session, urls, ports }, operation, parameters, body = {}) => {
    const endpoint = byOperation.get(operation);
    if (!endpoint) throw new Error(`there is no operation ${operation}`);
    const caller = { kind: 'user', account: session.account, scopes: 'password' } as const;
    return runOperation(endpoint, { caller, parameters, body, urls }, ports);
  };
}
