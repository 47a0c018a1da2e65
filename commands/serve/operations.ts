import type { FastifyInstance } from 'fastify';

import { hasUsers } from '#forge/accounts/account-store.ts';
import type { Ports } from '#forge/ports/ports.ts';
import { passiveContentHeaders } from '#platform/passive-content.ts';

import type { ShardState } from './shards/git-shards.ts';

/** What operators' tools ask: is the process up, and is work to be sent to it. */
export function operations(
  ports: Pick<Ports, 'database' | 'git'>,
  isStopping: () => boolean,
  shards: () => readonly ShardState[],
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
        // No reason to send requests elsewhere: other nodes ask the same owners of shards, and most requests need no git.
        const states = shards();
        const git = availability(states.every(({ isAvailable }) => isAvailable));
        const each = states.map(({ name, isAvailable }) => [name, availability(isAvailable)]);
        return {
          status: 'ready',
          database: ports.database.engine,
          git,
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
