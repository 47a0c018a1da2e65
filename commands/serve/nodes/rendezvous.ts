import { createHash } from 'node:crypto';

/**
 * Of several servers, the one with the highest hash together with the key (rendezvous hashing). When a server joins or leaves, only the keys
 * change their server that it gets or had.
 */
export function rendezvous<T extends { readonly serverId: string }>(
  key: string,
  servers: readonly T[],
): T | undefined {
  let chosen: T | undefined;
  let highest = '';
  for (const server of servers) {
    const hash = createHash('sha1').update(`${server.serverId}\n${key}`).digest('hex');
    if (chosen && hash <= highest) continue;
    chosen = server;
    highest = hash;
  }
  return chosen;
}
