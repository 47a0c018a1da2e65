import { responseEndSignal } from '#platform/response-end.ts';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { PasswordSignIn } from '../auth/password-sign-in.ts';
import type { Authenticate } from '../http/authentication.ts';
import { createBaseUrlResolver } from '../http/base-url.ts';
import type { AbuseLimits } from '../routing/abuse-limit.ts';
import type { Endpoint } from '../routing/endpoint.ts';
import { runInSlot, startTransfer, type TransferLimiter } from '../http/transfer-limiter.ts';
import { type Imports, openImports } from '../imports/imports.ts';
import { createPageImages } from './kit/page-images.ts';
import { createDeviceCodeThrottle } from '../auth/applications/device-code-throttle.ts';
import { createDeviceCodeLimit } from '../auth/applications/device-flow.ts';
import type { Ports } from '../ports/ports.ts';
import { deviceCodeResponse, exchangeResponse } from './kit/access-token.ts';
import { isBrowser } from './kit/page-paths.ts';
import { siteFrame, type Viewer } from './kit/site-frame.ts';
import { registerAssets } from '#web/asset-routes.ts';
import { newAppPath, newOrganizationAppPath, submitManifest } from './pages/apps.ts';
import { createPerform } from './kit/perform.ts';
import { formBytesMax, readForeignForm, readForm } from '#web/form.ts';
import { createHighlighter } from '#web/highlighter.ts';
import { sendPage, streamPage } from '#web/send-page.ts';
import { registerUploads } from './register-uploads.ts';
import { absentPage, responseToError } from './kit/web-errors.ts';
import type { FileResponse, WebResponse } from '#web/web-response.ts';
import { readContext, type WebContext, type WebRequest } from './kit/web-context.ts';
import { formRoutes, routes, uploadRoutes } from './page-table.ts';

/** The pages of the forge. */
export interface WebPages {
  readonly register: (server: FastifyInstance) => Promise<void>;
  /**
   * Answers a browser that asks for a URL where nothing is with a page; undefined for other requests. Called before the API's
   * pipeline, so that such requests do not count against the limits of its callers.
   */
  readonly answerUnrouted: (
    request: WebRequest,
    reply: FastifyReply,
  ) => Promise<FastifyReply> | undefined;
}

type Respond = (
  request: WebRequest,
  reply: FastifyReply,
  handle: (context: WebContext) => Promise<WebResponse | FileResponse>,
) => Promise<FastifyReply>;

interface WebParts {
  readonly authenticate: Authenticate;
  readonly passwords: PasswordSignIn;
  readonly endpoints: readonly Endpoint[];
  readonly transfers: TransferLimiter;
  /** For what takes git long. */
  readonly slow: TransferLimiter;
  /** Shared with the API; undefined: there are none. */
  readonly limits: AbuseLimits | undefined;
}

/**
 * The web pages behind `html_url` and similar fields, which work without scripts; only forms change anything. They are not part of the
 * API's pipeline, but share its access rules.
 */
export function webPages(
  ports: Ports,
  { authenticate, passwords, endpoints, transfers, slow, limits }: WebParts,
): WebPages {
  const highlighter = createHighlighter();
  const images = createPageImages(ports);
  let imports: Imports | undefined;
  const baseUrlOf = createBaseUrlResolver(ports.settings);
  const viewerOf = (request: FastifyRequest, context?: WebContext): Viewer => ({
    urls: baseUrlOf(request.headers.host).urls,
    session: context?.session,
    // The target of a form is not a page to return to after sign-in.
    pageUrl: request.method === 'POST' ? '/' : (request.raw.url ?? '/'),
    otherPages: ports.otherPages ?? [],
  });
  /** Errors are rendered in the frame of the signed-in user, if known. */
  const response: Respond = async (request, reply, handle) => {
    let context: WebContext | undefined;
    try {
      context = await readContext(request, baseUrlOf(request.headers.host), {
        ports,
        authenticate,
        highlighter,
        inSlotOf: (asking, work) => runInSlot(slow, asking, responseEndSignal(reply.raw), work),
        imports,
        imagesOf: (asking) => images.of(asking, reply),
      });
      const { requester } = context;
      const created = await handle(context);
      if (created.kind === 'stream' || created.kind === 'archive') {
        return await streamPage(request, reply, created, (open) =>
          startTransfer(transfers, requester, responseEndSignal(reply.raw), async () => ({
            stream: await open(),
          })),
        );
      }
      return await sendPage(request, reply, created, siteFrame(viewerOf(request, context)));
    } catch (error) {
      const viewer = viewerOf(request, context);
      return sendPage(request, reply, responseToError(error, request, viewer), siteFrame(viewer));
    }
  };
  const register = async (server: FastifyInstance): Promise<void> => {
    server.removeAllContentTypeParsers();
    server.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) =>
      done(null, body),
    );
    server.setErrorHandler((error, request, reply) => {
      const viewer = viewerOf(request);
      return sendPage(request, reply, responseToError(error, request, viewer), siteFrame(viewer));
    });
    imports = openImports(ports, server.log);
    for (const [path, handler, config = {}] of routes(endpoints)) {
      server.get(path, { config }, (request: WebRequest, reply) =>
        response(request, reply, handler),
      );
    }
    const perform = createPerform(endpoints, limits);
    const forms = formRoutes(passwords, perform, createDeviceCodeThrottle(ports));
    for (const [path, handler] of forms) {
      server.post(path, { bodyLimit: formBytesMax }, (request: WebRequest, reply) =>
        response(request, reply, (context) => {
          const form = readForm(request, context.baseUrl);
          return handler({ ...context, form, from: request.ip });
        }),
      );
    }
    registerUploads(server, { ports, baseUrlOf, routes: uploadRoutes(perform), response });
    registerManifests(server, response);
    registerForPrograms(server, ports);
    registerAssets(server);
    server.addHook('onClose', async () => {
      await Promise.all([images.close(), imports?.close(), highlighter.close()]);
    });
  };
  return {
    register,
    answerUnrouted(request: WebRequest, reply) {
      if (!request.is404 || !asksForPage(request)) return undefined;
      return response(request, reply, async (context) => absentPage(viewerOf(request, context)));
    },
  };
}

/** Set-up pages of Apps send their manifest from wherever they are; nothing changes before the user confirms it here. */
function registerManifests(server: FastifyInstance, respond: Respond): void {
  for (const path of [newAppPath, newOrganizationAppPath]) {
    server.post(path, { bodyLimit: formBytesMax }, (request: WebRequest, reply) =>
      respond(request, reply, (context) =>
        submitManifest({ ...context, form: readForeignForm(request), from: request.ip }),
      ),
    );
  }
}

/** What programs ask for without a browser, to get a token. */
function registerForPrograms(server: FastifyInstance, ports: Ports): void {
  const baseUrlOf = createBaseUrlResolver(ports.settings);
  server.post(exchangePath, { bodyLimit: formBytesMax }, (request: WebRequest, reply) => {
    const { urls } = baseUrlOf(request.headers.host);
    return exchangeResponse(request, reply, { ports, urls });
  });
  const mayAsk = createDeviceCodeLimit(ports);
  server.post(deviceCodePath, { bodyLimit: formBytesMax }, (request: WebRequest, reply) => {
    const { urls } = baseUrlOf(request.headers.host);
    return deviceCodeResponse(request, reply, { ports, urls, mayAsk });
  });
}

/** Paths of the API are for programs, whatever they accept. */
function asksForPage({ method, headers, originalUrl }: FastifyRequest): boolean {
  if (method !== 'GET' && method !== 'HEAD') return false;
  return isBrowser(headers.accept) && !/^\/api(?:[/?]|$)/.test(originalUrl);
}

const exchangePath = '/login/oauth/access_token';
const deviceCodePath = '/login/device/code';
