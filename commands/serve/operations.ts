import type { FastifyInstance } from 'fastify';

import { hasUsers } from '#forge/accounts/account-store.ts';
import type { Ports } from '#forge/ports/ports.ts';
import { passiveContentHeaders } from '#platform/passive-content.ts';

import type { ShardState } from './shards/git-shards.ts';

/** What of a server comes and goes while it runs. */
export interface OperatedParts {
  readonly shards: () => readonly ShardState[];
  readonly functions: FunctionsState;
}

export interface FunctionsState {
  /** Whether this server can run functions. */
  isAvailable(): boolean;
  /** Whether other nodes of a cluster take its requests. */
  othersServe(): boolean;
}

/** What operators' tools ask: is the process up, and is work to be sent to it. */
export function operations(
  ports: Pick<Ports, 'database' | 'git'>,
  isStopping: () => boolean,
  { shards, functions }: OperatedParts,
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
        const isAvailable = functions.isAvailable();
        const runsFunctions = availability(isAvailable);
        // A server that is alone goes on with the requests that need no function.
        if (!isAvailable && functions.othersServe())
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
