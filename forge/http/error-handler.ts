import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';

import { storageFailure } from '#platform/storage-failure.ts';

import { type Refusal, RefusalError } from '../errors/api-error.ts';
import { type RenderedRefusal, renderRefusal } from '../errors/error-responses.ts';
import { type HttpResponse, jsonType } from './http-response.ts';
import { compressed } from './compression.ts';
import { refusalOfError } from './from-git-error.ts';
import { isReadable } from './request-path.ts';
import { pathOf } from './request-state.ts';
import type { ResponseSender } from './send-response.ts';

const unreadable: Refusal = {
  kind: 'malformed-request',
  message: 'The request path contains invalid percent-encoding.',
};

/**
 * The only code that turns errors into responses. Refusals go through the catalogue; errors of the HTTP layer get the
 * documented shape; anything else is a bug: it is logged in full and answered without details.
 */
export function registerRefusals(server: FastifyInstance, sender: ResponseSender): void {
  server.setErrorHandler((error, request, reply) => {
    if (error instanceof RefusalError) {
      return sendRefusal(error.refusal, request, reply, sender);
    }
    const refusal = refusalOfError(error) ?? refusalOfProtocol(error, request);
    if (refusal) {
      if (storageFailure(error))
        request.log.warn({ err: error, requestId: request.id }, 'storage failed');
      return sendRefusal(refusal, request, reply, sender);
    }
    request.log.error({ err: error, requestId: request.id }, 'request failed');
    return sender.send(request, reply, {
      status: 500,
      contentType: jsonType,
      body: Buffer.from(
        JSON.stringify({
          message: `Internal server error. See the server log for request ${request.id}.`,
          documentation_url: request.forge.urls.docs(''),
        }),
      ),
    });
  });
  server.setNotFoundHandler((request, reply) =>
    sendRefusal(
      isReadable(request.originalUrl) ? { kind: 'no-such-route' } : unreadable,
      request,
      reply,
      sender,
    ),
  );
}

async function sendRefusal(
  refusal: Refusal,
  request: FastifyRequest,
  reply: FastifyReply,
  sender: ResponseSender,
): Promise<FastifyReply> {
  const rendered = renderRefusal(refusal);
  const endpoint = request.routeOptions.config?.endpoint;
  const { urls } = request.forge;
  const location =
    rendered.movedTo === undefined ? undefined : movedLocation(request, rendered.movedTo);
  const readOnly = request.method === 'GET' || request.method === 'HEAD';
  const response: HttpResponse = {
    status: rendered.status === 301 && !readOnly ? 307 : rendered.status,
    contentType: jsonType,
    location,
    acceptedScopes: endpoint?.declaration.acceptedScopes,
    codeRequired: rendered.codeRequired,
    retryAfterSeconds: rendered.retryAfterSeconds,
    body: Buffer.from(
      JSON.stringify({
        message: rendered.message,
        errors: rendered.errors,
        url: location,
        documentation_url: urls.docs(
          rendered.documentation ?? (endpoint ? `reference/${endpoint.declaration.docs}` : ''),
        ),
      }),
    ),
  };
  return sender.send(request, reply, await compressed(response, request));
}

/** The canonical URL of the same resource, with the query string. */
function movedLocation(
  request: FastifyRequest,
  { repositoryId, issueNumber }: NonNullable<RenderedRefusal['movedTo']>,
): string {
  const rest =
    issueNumber === undefined
      ? pathOf(request).replace(/^(?:\/api\/uploads)?\/repos\/[^/]+\/[^/]+/, '')
      : `/issues/${issueNumber}`;
  const url = request.raw.url ?? '';
  const query = url.includes('?') ? url.slice(url.indexOf('?')) : '';
  return `${request.forge.urls.canonicalRepository(repositoryId)}${rest}${query}`;
}

/** Errors of the HTTP framework before any handler runs: they are errors of the request, not of the server. */
export function refusalOfProtocol(error: unknown, request: FastifyRequest): Refusal | undefined {
  const code: unknown = error instanceof Error ? Reflect.get(error, 'code') : undefined;
  const statusCode: unknown = error instanceof Error ? Reflect.get(error, 'statusCode') : undefined;
  if (code === 'FST_ERR_CTP_BODY_TOO_LARGE') {
    return { kind: 'body-too-large', bytesMax: request.routeOptions.bodyLimit };
  }
  if (typeof statusCode === 'number' && statusCode >= 400 && statusCode < 500) {
    const message = error instanceof Error ? error.message : 'The request is not valid HTTP.';
    return { kind: 'malformed-request', message };
  }
  return undefined;
}
