import { invokeRequestBytesMax } from '#functions-contract/limits.ts';
import { invoke } from '#functions-contract/operations/functions.ts';

import { present } from '#platform/present.ts';

import { FunctionsError, refusalOf } from '../errors/functions-error.ts';
import { answerRequest } from '../function-urls/answer-request.ts';
import type { FunctionPorts } from '../http/call.ts';
import { renderError } from '../http/send-output.ts';
import type { HomeResponse } from '../ports/home-nodes.ts';
import { checkAccess } from '../urls/check-access.ts';
import type { FunctionUrl } from '../urls/function-url.ts';
import { httpEvent, type UrlRequest } from '../urls/http-event.ts';
import { responseHeaders } from '../urls/response-headers.ts';
import { documentHeaders, withoutSiteHeaders } from '../urls/shared-origin.ts';
import { splitPath, type UrlTarget } from '../urls/url-address.ts';
import { deliveryTrace, type Delivery } from './delivery.ts';

/** Sends a delivery to a function URL without the network; the function and the sender see the same as over HTTP. */
export async function requestFunctionUrl(
  ports: FunctionPorts,
  { url, target, address }: UrlOfFunction,
  delivery: Delivery,
  onError: (error: unknown) => void,
): Promise<HomeResponse> {
  const requestId = ports.random.id();
  const headers = {
    'x-amzn-requestid': requestId,
    ...(target.form === 'path' ? documentHeaders : {}),
  };
  const trace = deliveryTrace(delivery);
  try {
    const elsewhere = await ports.homes.post(url.functionName, {
      ...delivery,
      address,
      headers: { ...sentHeaders(delivery, address), ...present({ 'x-amzn-trace-id': trace }) },
    });
    if (elsewhere) return elsewhere;
    if (delivery.body.length > invokeRequestBytesMax) throw tooLarge();
    const request = urlRequest(delivery, address, target, requestId, ports.clock.now());
    // No webhook is signed with an access key: only a URL that is open to everybody answers.
    const unsigned = { method: request.method, target: target.path, rawHeaders: [] };
    await checkAccess(ports, url, unsigned, request.body);
    const event = httpEvent(request, url, undefined, address.host);
    const answer = await answerRequest(ports, url, requestId, event, trace);
    return {
      status: answer.status,
      headers: { ...headers, ...joined(responseHeaders(answer, url, target)) },
      body: piecesOf(answer.body),
    };
  } catch (error) {
    const refusal = refusalOf(error, invoke);
    if (refusal.code === 'ServiceException') onError(error);
    const response = renderError(refusal);
    return {
      status: response.status,
      headers: { ...headers, ...response.headers },
      body: piecesOf(response.body),
    };
  }
}

export interface UrlOfFunction {
  readonly url: FunctionUrl;
  readonly target: UrlTarget;
  /** As the webhook has it. */
  readonly address: URL;
}

/** The request as it would arrive over a connection from this host. */
function urlRequest(
  delivery: Delivery,
  address: URL,
  target: UrlTarget,
  requestId: string,
  time: number,
): UrlRequest {
  const [rawPath, rawQuery] = splitPath(target.path);
  const received: Record<string, string> = {
    ...sentHeaders(delivery, address),
    'x-forwarded-for': loopback,
    'x-forwarded-proto': address.protocol.slice(0, -1),
    'x-forwarded-port': address.port || (address.protocol === 'https:' ? '443' : '80'),
  };
  return {
    requestId,
    method: 'POST',
    rawPath,
    rawQuery,
    protocol: 'HTTP/1.1',
    headers: target.form === 'path' ? withoutSiteHeaders(received) : received,
    sourceIp: loopback,
    body: delivery.body,
    time,
  };
}

function sentHeaders({ headers }: Delivery, address: URL): Record<string, string> {
  const sent = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]);
  return { host: address.host, ...credentialsOf(address), ...Object.fromEntries(sent) };
}

const loopback = '127.0.0.1';

/** As HTTP clients send the user and the password of a URL (RFC 7617). */
function credentialsOf({ username, password }: URL): Record<string, string> {
  if (username === '' && password === '') return {};
  const text = `${decoded(username)}:${decoded(password)}`;
  return { authorization: `Basic ${Buffer.from(text).toString('base64')}` };
}

/** A URL may contain a percent sign that begins no encoded byte. */
function decoded(text: string): string {
  return /%(?![0-9a-f]{2})/i.test(text) ? text : Buffer.from(unescaped(text), 'latin1').toString();
}

function unescaped(text: string): string {
  return text.replaceAll(/%([0-9a-f]{2})/gi, (_encoded, hex: string) =>
    String.fromCharCode(Number.parseInt(hex, 16)),
  );
}

function tooLarge(): FunctionsError {
  return new FunctionsError(
    'RequestEntityTooLargeException',
    `Request must be smaller than ${invokeRequestBytesMax} bytes for the InvokeFunction operation`,
  );
}

function joined(headers: Record<string, string | string[]>): Record<string, string> {
  const entries = Object.entries(headers);
  return Object.fromEntries(entries.map(([name, value]) => [name, [value].flat().join(', ')]));
}

async function* piecesOf(
  body: string | Uint8Array | AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  if (typeof body === 'string') yield Buffer.from(body);
  else if (body instanceof Uint8Array) yield body;
  else yield* body;
}
