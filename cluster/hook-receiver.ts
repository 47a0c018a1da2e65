import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';

import type { Observed } from './observed.ts';

/** Takes deliveries of webhooks about comments on a free port of loopback. */
export interface HookReceiver {
  readonly url: string;
  readonly deliveries: Observed['deliveries'];
  close(): void;
}

export async function startHookReceiver(): Promise<HookReceiver> {
  const deliveries: { guid: string; comment: number }[] = [];
  const server = createServer((request, response) => {
    const take = async (): Promise<void> => {
      const { comment } = JSON.parse(await text(request));
      const guid = String(request.headers['x-github-delivery']);
      if (comment) deliveries.push({ guid, comment: comment.id });
      response.end();
    };
    // A node that dies midway has sent half of a body: the delivery comes again.
    take().catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('It has no port.');
  return {
    url: `http://127.0.0.1:${address.port}/`,
    deliveries,
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}
