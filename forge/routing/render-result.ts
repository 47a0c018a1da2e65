import type { FastifyRequest } from 'fastify';

import { attachment, sentBytes } from '#platform/byte-range.ts';
import { indentedJson } from '#platform/indented-json.ts';
import { present } from '#platform/present.ts';

import { type HttpResponse, jsonType } from '../http/http-response.ts';
import { entityTag } from '../http/conditional-request.ts';
import { linkHeader } from '../http/pagination.ts';
import { wantsPrettyJson } from '../http/user-agent.ts';
import type { EndpointResult } from '../http/endpoint-result.ts';
import { makeTexts } from '../json/make-texts.ts';
import { pathOf } from '../http/request-state.ts';
import { callerAccountId } from '../model/caller.ts';
import type { RepositoryAccess } from '../repositories/repository-access.ts';
import type { Endpoint, EndpointRequest } from './endpoint.ts';

/** Renders the result of an endpoint, without the headers that all responses share. */
export async function render(
  endpoint: Endpoint,
  reply: EndpointResult,
  request: FastifyRequest,
  input: EndpointRequest<string, unknown>,
  access: RepositoryAccess | undefined,
): Promise<HttpResponse> {
  const shared = { acceptedScopes: acceptedScopes(endpoint) };
  switch (reply.kind) {
    case 'empty':
      return { ...shared, status: reply.status };
    case 'redirect':
      return { ...shared, status: reply.status, location: reply.location };
    case 'text': {
      const body = Buffer.from(reply.body);
      const requested = input.media.requested ?? 'text/plain';
      return {
        ...shared,
        status: 200,
        contentType: `${requested}; charset=utf-8`,
        body,
        tag: reply.entityTag === undefined ? tagOf(body, request) : `"${reply.entityTag}"`,
        lastModified: reply.lastModified,
      };
    }
    case 'stream':
      return {
        ...shared,
        status: 200,
        contentType:
          reply.form === 'json'
            ? jsonType
            : `${input.media.requested ?? 'text/plain'}; charset=utf-8`,
        stream: reply,
        tag: `"${reply.entityTag}"`,
      };
    case 'file': {
      const tag = `"${reply.entityTag}"`;
      const sent = sentBytes(request.headers, reply.bytes, tag);
      return {
        ...shared,
        status: sent.status,
        contentType: 'application/octet-stream',
        stream: { bytes: sent.length, open: () => reply.open(sent.range) },
        tag,
        lastModified: reply.lastModified,
        fileHeaders: { ...sent.headers, 'content-disposition': attachment(reply.name) },
      };
    }
    case 'archive':
      return {
        ...shared,
        status: 200,
        contentType: reply.contentType,
        stream: { bytes: undefined, open: reply.open },
        cacheControl: 'private, no-cache',
        fileHeaders: { 'content-disposition': attachment(reply.name) },
      };
    case 'json': {
      if (input.media.format !== 'json') await makeTexts(reply.body);
      const body = Buffer.from(
        wantsPrettyJson(request) ? `${indentedJson(reply.body)}\n` : JSON.stringify(reply.body),
      );
      const tagged = reply.status !== 202 && reply.cacheControl === undefined;
      return {
        ...shared,
        status: reply.status,
        contentType: jsonType,
        body,
        ...(tagged ? { tag: tagOf(body, request) } : {}),
        ...present({ cacheControl: reply.cacheControl }),
        lastModified: reply.lastModified,
        pollSeconds: reply.pollSeconds,
        location: reply.location,
        link:
          reply.paging &&
          linkHeader(canonicalUrl(request, access), input.query, input.page, reply.paging),
      };
    }
  }
}

/** The canonical URL of a list, which survives renames. */
function canonicalUrl(request: FastifyRequest, access: RepositoryAccess | undefined): string {
  const path = pathOf(request);
  const { urls } = request.forge;
  if (!access) return urls.api(path);
  const rest = path.replace(/^\/(?:repos\/[^/]+\/[^/]+|repositories\/\d+)/, '');
  return `${urls.canonicalRepository(access.repository.id)}${rest}`;
}

function tagOf(body: Buffer, request: FastifyRequest): string {
  const { caller, media } = request.forge;
  return entityTag(
    body,
    `${callerAccountId(caller)} ${request.headers.authorization ?? ''}`,
    media.echo,
  );
}

function acceptedScopes(endpoint: Endpoint): string {
  return endpoint.declaration.acceptedScopes ?? '';
}
