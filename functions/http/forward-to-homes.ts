import type { FastifyInstance, FastifyRequest } from 'fastify';

import { type HomeNodes, onlyNode } from '../ports/home-nodes.ts';

type NameOf = (request: FastifyRequest) => string | undefined | Promise<string | undefined>;

/**
 * Has the home of a function answer a request, before anything of it is checked or read here. `nameOf` gives the name of that function,
 * or undefined for a request that any server answers alike.
 */
export function forwardToHomes(server: FastifyInstance, homes: HomeNodes, nameOf: NameOf): void {
  if (homes === onlyNode) return;
  server.addHook('onRequest', async (request, reply) => {
    const name = await nameOf(request);
    if (name !== undefined && (await homes.forwardToHome(name, request, reply.raw))) reply.hijack();
  });
}

/** A path parameter of a request that may change something. Undefined for GET and HEAD, which every server answers alike, from the database and the shared files. */
export function parameterOfChange(
  { method, params }: FastifyRequest,
  name: string,
): string | undefined {
  if (method === 'GET' || method === 'HEAD') return undefined;
  const given: unknown = Object(params)[name];
  return typeof given === 'string' ? given : undefined;
}
