import type { FastifyReply } from 'fastify';

import { passiveContentHeaders } from '#platform/passive-content.ts';

import {
  createDeviceCode,
  type DeviceCodeLimit,
  deviceCodeSeconds,
  deviceGrantType,
  exchangeDeviceCode,
  intervalSeconds,
} from '../../auth/applications/device-flow.ts';
import { exchangeCode, type ExchangeResult } from '../../auth/applications/exchange-code.ts';
import {
  type ExchangeFormat,
  representExchange,
  representFlowError,
  writeExchange,
} from '../../auth/applications/exchange-json.ts';
import { parseAuthorization } from '../../http/authentication.ts';
import { parseJsonObject } from '../../http/json-body.ts';
import type { Ports } from '../../ports/ports.ts';
import type { Urls } from '../../json/urls.ts';
import { devicePath } from './page-paths.ts';
import type { WebRequest } from './web-context.ts';

const contentTypes: Readonly<Record<ExchangeFormat, string>> = {
  form: 'application/x-www-form-urlencoded; charset=utf-8',
  json: 'application/json; charset=utf-8',
  xml: 'application/xml; charset=utf-8',
};

/**
 * The token endpoint of the OAuth web application flow, which is neither a page nor part of the REST API. As on GitHub, the
 * status is always 200, even for errors, in the format that the client accepts.
 */
export async function exchangeResponse(
  request: WebRequest,
  reply: FastifyReply,
  { ports, urls }: { ports: Ports; urls: Urls },
): Promise<FastifyReply> {
  const result = await exchanged(request, ports);
  return sendParameters(request, reply, representExchange(result, urls));
}

/** The codes for a program without a browser (RFC 8628, 3.1). */
export async function deviceCodeResponse(
  request: WebRequest,
  reply: FastifyReply,
  { ports, urls, mayAsk }: { ports: Ports; urls: Urls; mayAsk: DeviceCodeLimit },
): Promise<FastifyReply> {
  const parameters = parametersOf(request);
  const { clientId } = clientOf(request, parameters);
  const made = (await mayAsk(request.ip))
    ? await createDeviceCode(ports, { clientId, scope: parameters.get('scope') ?? '' })
    : ({ kind: 'too-many' } as const);
  switch (made.kind) {
    case 'unknown-application':
      return sendParameters(request, reply.code(404), { error: 'Not Found' });
    case 'disabled':
      return sendParameters(
        request,
        reply.code(400),
        representFlowError('device_flow_disabled', urls),
      );
    case 'too-many':
      reply.code(429).header('retry-after', String(deviceCodeSeconds));
      return sendParameters(request, reply, representFlowError('slow_down', urls));
    case 'code':
      return sendParameters(request, reply, {
        device_code: made.deviceCode,
        user_code: made.userCode,
        verification_uri: urls.web(devicePath),
        expires_in: deviceCodeSeconds,
        interval: intervalSeconds,
      });
  }
}

function sendParameters(
  request: WebRequest,
  reply: FastifyReply,
  fields: Record<string, string | number>,
): FastifyReply {
  const format = formatOf(request.headers.accept);
  return reply
    .headers({
      ...passiveContentHeaders,
      'content-type': contentTypes[format],
      'cache-control': 'no-store',
    })
    .send(writeExchange(fields, format));
}

async function exchanged(request: WebRequest, ports: Ports): Promise<ExchangeResult> {
  const parameters = parametersOf(request);
  const provided = (name: string): string | undefined => parameters.get(name) ?? undefined;
  const grantType = provided('grant_type');
  if (grantType === deviceGrantType) {
    const { clientId } = clientOf(request, parameters);
    return exchangeDeviceCode(ports, { clientId, deviceCode: provided('device_code') ?? '' });
  }
  if (grantType !== undefined && grantType !== 'authorization_code') {
    return { kind: 'refused', error: 'unsupported_grant_type' };
  }
  const client = clientOf(request, parameters);
  return exchangeCode(ports, {
    ...client,
    code: provided('code') ?? '',
    redirectUri: provided('redirect_uri'),
    codeVerifier: provided('code_verifier'),
  });
}

/** Parameters are read only from the body, because URLs appear in logs. Bodies of other types have no parameters. */
function parametersOf(request: WebRequest): URLSearchParams {
  const { body } = request;
  if (!Buffer.isBuffer(body)) return new URLSearchParams();
  if (!/^application\/json\b/i.test(request.headers['content-type'] ?? '')) {
    return new URLSearchParams(body.toString());
  }
  const fields = Object.entries(parseJsonObject(body, 'OauthAccess'));
  return new URLSearchParams(
    fields.flatMap(([name, value]) => (typeof value === 'string' ? [[name, value]] : [])),
  );
}

/** In the body, or as Basic credentials (RFC 6749, 2.3.1). */
function clientOf(
  request: WebRequest,
  parameters: URLSearchParams,
): { clientId: string; clientSecret: string } {
  const credentials = parseAuthorization(request.headers.authorization);
  if (credentials.kind === 'basic') {
    return { clientId: credentials.login, clientSecret: credentials.password };
  }
  return {
    clientId: parameters.get('client_id') ?? '',
    clientSecret: parameters.get('client_secret') ?? '',
  };
}

function formatOf(accept: string | undefined): ExchangeFormat {
  if (accept === undefined) return 'form';
  if (/\bapplication\/json\b/i.test(accept)) return 'json';
  return /\bapplication\/xml\b/i.test(accept) ? 'xml' : 'form';
}
