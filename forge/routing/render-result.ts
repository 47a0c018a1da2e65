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
  result: EndpointResult,
  request: FastifyRequest,
  input: EndpointRequest<string, unknown>,
  access: RepositoryAccess | undefined,
): Promise<HttpResponse> {
  const shared = { acceptedScopes: acceptedScopes(endpoint) };
  switch (result.kind) {
    case 'empty':
      return { ...shared, status: result.status };
    case 'redirect':
      return { ...shared, status: result.status, location: result.location };
    case 'text': {
      const body = Buffer.from(result.body);
      const requested = input.media.requested ?? 'text/plain';
      return {
        ...shared,
        status: 200,
        contentType: `${requested}; charset=utf-8`,
        body,
        tag: result.entityTag === undefined ? tagOf(body, request) : `"${result.entityTag}"`,
        lastModified: result.lastModified,
      };
    }
    case 'stream':
      return {
        ...shared,
        status: 200,
        contentType:
          result.form === 'json'
            ? jsonType
            : `${input.media.requested ?? 'text/plain'}; charset=utf-8`,
        stream: result,
        tag: `"${result.entityTag}"`,
      };
    case 'file': {
      const tag = `"${result.entityTag}"`;
      const sent = sentBytes(request.headers, result.bytes, tag);
      return {
        ...shared,
        status: sent.status,
        contentType: 'application/octet-stream',
        stream: { bytes: sent.length, open: () => result.open(sent.range) },
        tag,
        lastModified: result.lastModified,
        isDatedWhole: true,
        fileHeaders: { ...sent.headers, 'content-disposition': attachment(result.name) },
      };
    }
    case 'archive':
      return {
        ...shared,
        status: 200,
        contentType: result.contentType,
        stream: { bytes: undefined, open: result.open },
        cacheControl: 'private, no-cache',
        fileHeaders: { 'content-disposition': attachment(result.name) },
      };
    case 'json': {
      if (input.media.format !== 'json') await makeTexts(result.body);
      const body = Buffer.from(
        wantsPrettyJson(request) ? `${indentedJson(result.body)}\n` : JSON.stringify(result.body),
      );
      const tagged = result.status !== 202 && result.cacheControl === undefined;
      return {
        ...shared,
        status: result.status,
        contentType: jsonType,
        body,
        ...(tagged ? { tag: tagOf(body, request) } : {}),
        ...present({ cacheControl: result.cacheControl }),
        lastModified: result.lastModified,
        isDatedWhole: result.isDatedWhole,
        pollSeconds: result.pollSeconds,
        location: result.location,
        link:
          result.paging &&
          linkHeader(canonicalUrl(request, access), input.query, input.page, result.paging),
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
