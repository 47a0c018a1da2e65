import type { FastifyReply } from 'fastify';

import { responseEndSignal } from '#platform/response-end.ts';

import { createImageProxy } from '../../http/images/image-proxy.ts';
import { isPrivateAddress } from '../../http/private-target.ts';
import {
  createTransferLimiter,
  imageLimits,
  runInSlot,
  type TransferCaller,
} from '../../http/transfer-limiter.ts';
import type { Ports } from '../../ports/ports.ts';
import type { WebContext } from './web-context.ts';

/** The images of other servers that pages show, as far as the operator lets this server fetch them. */
export interface PageImages {
  /** For a request: a client that requests many waits for slots. */
  readonly of: (requester: TransferCaller, reply: FastifyReply) => WebContext['images'];
  readonly close: () => Promise<void>;
}

export function createPageImages({
  clock,
  settings: { imageProxy },
}: Pick<Ports, 'clock' | 'settings'>): PageImages {
  if (imageProxy === 'off') return { of: () => undefined, close: async () => {} };
  const refuses = imageProxy === 'private' ? () => false : isPrivateAddress;
  const proxy = createImageProxy({ clock, refuses });
  const limiter = createTransferLimiter(imageLimits);
  return {
    of: (requester, reply) => ({
      get: (url) =>
        proxy.get(url, (work) => runInSlot(limiter, requester, responseEndSignal(reply.raw), work)),
    }),
    close: async () => proxy.close(),
  };
}
