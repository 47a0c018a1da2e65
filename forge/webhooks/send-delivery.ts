import type { IncomingMessage } from 'node:http';
import { request as requestSecure } from 'node:https';
import { isIP } from 'node:net';

import { request as requestPlain } from '#platform/node-http.ts';
import { errorCode } from '#platform/error-code.ts';

import { addressesOf, isPrivateAddress, privateTargetsHint } from '../http/private-target.ts';

export interface DeliveryRequest {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
  readonly insecureSsl: boolean;
  readonly privateTargets: boolean;
  readonly timeoutMilliseconds: number;
  /** Aborts the request when the server stops. */
  readonly signal: AbortSignal;
}

export interface DeliveryResponse {
  /** The HTTP status; 0 if there was no response. */
  readonly code: number;
  readonly status: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** Bytes of a receiver's response that are stored; the rest is not read. */
const responseBytesMax = 64 * 1024;

/**
 * Bytes of the names and values of its headers that are stored; headers that do not fit are omitted. As many as Node accepts
 * from a connection.
 */
const headerBytesMax = 16 * 1024;

/**
 * Posts a body. Redirects are not followed, and the connection uses the IP address that was checked, so that DNS rebinding
 * cannot reach private networks (reliability: no way into private networks).
 */
export async function sendDelivery(request: DeliveryRequest): Promise<DeliveryResponse> {
  const url = new URL(request.url);
  const addresses = await addressesOf(url);
  const [address] = addresses;
  if (address === undefined) return noResponse('failed to resolve host');
  if (!request.privateTargets && addresses.some(isPrivateAddress)) {
    return noResponse(`refused to connect to a private address: ${privateTargetsHint}`);
  }
  const timeout = AbortSignal.timeout(request.timeoutMilliseconds);
  try {
    return await post(request, url, address, AbortSignal.any([request.signal, timeout]));
  } catch (error) {
    request.signal.throwIfAborted();
    if (timeout.aborted) return noResponse('timed out');
    return noResponse(`failed to connect to host: ${reasonOf(error)}`);
  }
}

function post(
  { headers, body, insecureSsl }: DeliveryRequest,
  url: URL,
  address: string,
  signal: AbortSignal,
): Promise<DeliveryResponse> {
  return new Promise((resolve, reject) => {
    const request = url.protocol === 'https:' ? requestSecure : requestPlain;
    const sent = request(
      url,
      {
        method: 'POST',
        headers,
        signal,
        agent: false,
        rejectUnauthorized: !insecureSsl,
        lookup: (_host, options, found) => {
          const family = isIP(address);
          if (options.all === true) found(null, [{ address, family }]);
          else found(null, address, family);
        },
      },
      (response) => {
        receive(response).then(resolve, reject);
      },
    );
    sent.on('error', reject);
    sent.end(body);
  });
}

function receive(response: IncomingMessage): Promise<DeliveryResponse> {
  return readResponse(response.statusCode ?? 0, response.headers, response);
}

/** Reads the beginning of a response's body; `stop` ends reading after the next piece. */
export async function readResponse(
  code: number,
  headers: Readonly<Record<string, string | string[] | undefined>>,
  body: AsyncIterable<Uint8Array>,
  stop?: AbortSignal,
): Promise<DeliveryResponse> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of body) {
    chunks.push(chunk);
    bytes += chunk.length;
    if (bytes >= responseBytesMax || stop?.aborted === true) break;
  }
  const taken = code >= 200 && code < 300;
  return {
    code,
    status: taken ? 'OK' : `Invalid HTTP Response: ${code}`,
    headers: storableHeaders(headers),
    body: storable(Buffer.concat(chunks).subarray(0, responseBytesMax).toString()),
  };
}

/** Headers that do not fit are omitted: a function in this process can answer with megabytes of them. */
function storableHeaders(
  headers: Readonly<Record<string, string | string[] | undefined>>,
): Record<string, string> {
  const stored: Record<string, string> = {};
  let left = headerBytesMax;
  for (const [name, value] of Object.entries(headers)) {
    const text = storable(String(value));
    const bytes = Buffer.byteLength(name) + Buffer.byteLength(text);
    if (bytes > left) continue;
    stored[name] = text;
    left -= bytes;
  }
  return stored;
}

export function noResponse(status: string): DeliveryResponse {
  return { code: 0, status, headers: {}, body: '' };
}

function reasonOf(error: unknown): string {
  return errorCode(error) ?? String(error);
}

/** PostgreSQL cannot store U+0000 in text. */
function storable(text: string): string {
  return text.replaceAll('\0', '\u{FFFD}');
}
