import type { Endpoint } from '../../routing/endpoint.ts';
import { userRateKey } from '../../http/rate-limit.ts';
import { refuse } from '../../errors/api-error.ts';
import { type AbuseLimits, createsContent } from '../../routing/abuse-limit.ts';
import { runForPage } from '../../routing/run-for-page.ts';
import type { EndpointResult } from '../../http/endpoint-result.ts';
import type { WebContext } from './web-context.ts';
import type { SignedIn } from './with-session.ts';
import { sessionCaller } from '../../auth/sessions/session.ts';

/** Does for the signed-in user what an operation of the API does, by its endpoint: a page has no rules of its own. */
export interface Perform {
  (
    context: WebContext & SignedIn,
    operation: string,
    parameters: Readonly<Record<string, string>>,
    body?: Readonly<Record<string, unknown>>,
  ): Promise<EndpointResult>;
  /** Counts what is created without an operation; refuses where it was too much. */
  readonly countCreation: (context: WebContext & SignedIn) => Promise<void>;
}

/** Creations count together with those of the API, whatever the credential. */
export function createPerform(
  endpoints: readonly Endpoint[],
  limits: AbuseLimits | undefined,
): Perform {
  const byOperation = new Map(
    endpoints.map((endpoint) => [endpoint.declaration.operation, endpoint]),
  );
  const countCreation: Perform['countCreation'] = async ({ session, now }) => {
    const caller = sessionCaller(session);
    const seconds = await limits?.create(userRateKey(caller), now);
    if (seconds === undefined) return;
    refuse({ kind: 'abuse-limited', about: 'creation', retryAfterSeconds: seconds });
  };
  const perform = async (
    context: WebContext & SignedIn,
    operation: string,
    parameters: Readonly<Record<string, string>>,
    body: Readonly<Record<string, unknown>> = {},
  ): Promise<EndpointResult> => {
    const { session, urls, ports } = context;
    const endpoint = byOperation.get(operation);
    if (!endpoint) throw new Error(`there is no operation ${operation}`);
    if (createsContent(endpoint.declaration)) await countCreation(context);
    const caller = sessionCaller(session);
    return runForPage(endpoint, { caller, parameters, body, urls }, ports);
  };
  return Object.assign(perform, { countCreation });
}
