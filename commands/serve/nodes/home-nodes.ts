import type { IncomingHttpHeaders } from 'node:http';

import { FunctionsError } from '#functions/errors/functions-error.ts';
import { type HomeNodes, onlyNode } from '#functions/ports/home-nodes.ts';
import type { FunctionSettings } from '#functions/ports/system-ports.ts';
import { isForwarded } from '#platform/forwarded-request.ts';

import { ofConnection } from './forward.ts';
import { type Node, type Nodes, NodeUnavailableError } from './nodes.ts';
import { rendezvous } from './rendezvous.ts';

/** The functions of an account are spread over the live nodes. Without nodes, this server has them all. */
export function homesAmong(
  nodes: Nodes | undefined,
  { accountId }: Pick<FunctionSettings, 'accountId'>,
): HomeNodes {
  if (!nodes) return onlyNode;
  const homeOf = (functionName: string): Node | undefined =>
    rendezvous(`${accountId} ${functionName}`, nodes.live());
  return {
    isHome: (functionName) => homeOf(functionName)?.serverId === nodes.self,
    get count() {
      return Math.max(1, nodes.live().length);
    },
    async forwardToHome(functionName, { raw }, response) {
      // At most once: the lists of two nodes may differ for a second.
      if (isForwarded(raw)) return false;
      const home = homeOf(functionName);
      if (!home || home.serverId === nodes.self) return false;
      await nodes.forward(home, raw, response).catch(throwRefusal);
      return true;
    },
    async post(functionName, request) {
      const home = homeOf(functionName);
      if (!home || home.serverId === nodes.self) return undefined;
      const incoming = await nodes.post(home, request).catch(throwRefusal);
      const { statusCode: status = 502, headers } = incoming;
      return { status, headers: answeredHeaders(headers), body: incoming };
    },
    onChange: (listener) => nodes.onChange(listener),
  };
}

/** Clients try again, and by then another node may be the home. */
function throwRefusal(error: unknown): never {
  if (!(error instanceof NodeUnavailableError)) throw error;
  throw new FunctionsError(
    'ServiceException',
    'The server that runs this function is unavailable. Try again in a moment.',
    { status: 503, retryAfterSeconds: 1 },
  );
}

/** Without those of the connection between the nodes. */
function answeredHeaders(headers: IncomingHttpHeaders): Record<string, string> {
  const sent: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers)) {
    if (value === undefined || ofConnection.has(name)) continue;
    sent[name] = [value].flat().join(', ');
  }
  return sent;
}
