import type { FastifyInstance } from 'fastify';

import { assets, icon } from './assets.ts';
import { sendBytes } from './send-page.ts';

/** The URLs of what pages load. */
export function registerAssets(server: FastifyInstance): void {
  for (const { path, contentType, body } of assets) {
    server.get(path, (request, reply) =>
      sendBytes(request, reply, { contentType, body, lasting: 'immutable' }),
    );
  }
  // Browsers ask for this where a page names no icon, such as an answer of the API.
  server.get('/favicon.ico', (request, reply) =>
    sendBytes(request, reply, { contentType: icon.contentType, body: icon.body, lasting: 'hour' }),
  );
}
