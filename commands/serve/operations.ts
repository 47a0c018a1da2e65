import type { FastifyInstance } from 'fastify';

import { hasUsers } from '#forge/accounts/account-store.ts';
import type { Ports } from '#forge/ports/ports.ts';
import { passiveContentHeaders } from '#platform/passive-content.ts';

import type { ShardState } from './shards/git-shards.ts';

/** What of a server comes and goes while it runs. */
export interface OperatedParts {
  readonly shards: () => readonly ShardState[];
  readonly functions: FunctionsState;
  /** Whether a node of a cluster takes requests, as the others know; true without a cluster. */
  readonly takesRequests: () => boolean;
}

export interface FunctionsState {
  /** Whether this server can run functions. */
  isAvailable(): boolean;
}

/** What operators' tools ask: is the process up, and is work to be sent to it. */
export function operations(
  ports: Pick<Ports, 'database' | 'git'>,
  isStopping: () => boolean,
  { shards, functions, takesRequests }: OperatedParts,
): (server: FastifyInstance) => Promise<void> {
  return async (server) => {
    server.addHook('onRequest', (_request, reply, done) => {
      reply.headers(passiveContentHeaders);
      done();
    });
    server.get('/healthz', () => ({ status: 'up' }));
    server.get('/readyz', async (_request, reply) => {
      if (isStopping()) return reply.code(503).send({ status: 'stopping' });
      try {
        await ports.database.read(hasUsers);
        const runsFunctions = availability(functions.isAvailable());
        // One that cannot run functions goes on with other requests where it is alone (nodes/serve-while-available.ts).
        if (!takesRequests())
          return await reply.code(503).send({ status: 'not ready', functions: runsFunctions });
        // No reason to send requests elsewhere: other nodes ask the same owners of shards, and most requests need no git.
        const states = shards();
        const git = availability(states.every((state) => state.isAvailable));
        const each = states.map((state) => [state.name, availability(state.isAvailable)]);
        return {
          status: 'ready',
          database: ports.database.engine,
          git,
          functions: runsFunctions,
          ...(each.length > 1 && { shards: Object.fromEntries(each) }),
        };
      } catch (error) {
        server.log.error({ err: error }, 'not ready');
        return reply.code(503).send({ status: 'not ready' });
      }
    });
  };
}

function availability(isAvailable: boolean): string {
  return isAvailable ? 'available' : 'unavailable';
}
