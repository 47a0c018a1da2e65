import { crc32 } from 'node:zlib';

import type { Node } from './nodes.ts';

/**
 * On a response that another node worked for: names that node, so that a balancer sends the next request for the same function or
 * repository there at once (deploy/cluster/haproxy.cfg). As the CRC-32 of its address, because the stick tables of HAProxy hold
 * numbers and its configuration can compute this one. It hides nothing: who gets it can find the address by trying, so the balancer removes it.
 */
export const nodeHeader = 'hob-node';

export function nodeNumber({ address }: Pick<Node, 'address'>): string {
  return String(crc32(address));
}
