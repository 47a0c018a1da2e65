import type { FastifyInstance, FastifyReply } from 'fastify';

import { onResponseEnd, responseEndSignal } from '#platform/response-end.ts';
import { FormError } from '#web/form.ts';
import { readUpload, type UploadedFile } from '#web/upload.ts';
import type { WebResponse } from '#web/web-response.ts';

import type { BaseUrl } from '../http/base-url.ts';
import {
  createTransferLimiter,
  largeBodyLimits,
  transferCaller,
} from '../http/transfer-limiter.ts';
import type { Ports } from '../ports/ports.ts';
import {
  findBrowserSession,
  type FormContext,
  type WebContext,
  type WebRequest,
} from './kit/web-context.ts';
import { sessionEnded } from './kit/with-session.ts';
import { sessionCaller } from '../auth/sessions/session.ts';

/** Files of one form, all together. */
const uploadBytesMax = 25 * 1024 * 1024;

/** The target of a form with files. */
export type UploadRoute = readonly [
  path: string,
  handler: (context: FormContext, uploads: readonly UploadedFile[]) => Promise<WebResponse>,
];

/** Takes forms with files, which wait in memory: of signed-in users only, and a few at a time. */
export function registerUploads(
  server: FastifyInstance,
  {
    ports,
    baseUrlOf,
    routes,
    response,
  }: {
    readonly ports: Ports;
    readonly baseUrlOf: (host: string | undefined) => BaseUrl;
    readonly routes: readonly UploadRoute[];
    readonly response: (
      request: WebRequest,
      reply: FastifyReply,
      handle: (context: WebContext) => Promise<WebResponse>,
    ) => Promise<FastifyReply>;
  },
): void {
  const uploads = createTransferLimiter(largeBodyLimits);
  for (const [path, handler] of routes) {
    server.post<{ Params: Record<string, string> }>(
      path,
      {
        bodyLimit: uploadBytesMax,
        onRequest: async (request, reply) => {
          const { baseUrl } = baseUrlOf(request.headers.host);
          const session = await findBrowserSession(request, ports, baseUrl);
          if (!session) throw new FormError(403, sessionEnded);
          const caller = sessionCaller(session);
          const asking = transferCaller(caller, request.ip);
          onResponseEnd(reply.raw, await uploads.enter(asking, responseEndSignal(reply.raw)));
        },
      },
      (request, reply) =>
        response(request, reply, async (context) => {
          const sent = await readUpload(request, context.baseUrl);
          return handler({ ...context, form: sent.form, from: request.ip }, sent.uploads);
        }),
    );
  }
}
