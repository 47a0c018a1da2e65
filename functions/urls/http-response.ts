import { validateHeaderName, validateHeaderValue } from '#platform/node-http.ts';

import { findJsonFault } from '../json/find-json-fault.ts';
import { isObject } from '../json/is-object.ts';
import { memberTexts } from '../json/member-texts.ts';
import { isQuicklyParsed, parseQuickly } from '../json/structure-bytes.ts';

/** A function's result as an HTTP response. */
interface HttpResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly cookies: readonly string[];
  readonly body: Uint8Array;
}

export type HttpResponseHead = Omit<HttpResponse, 'body'>;

/** The content type of a streamed result that begins with its status and headers. */
export const integrationType = 'application/vnd.awslambda.http-integration-response';

/** Undefined for a result that cannot be converted to an HTTP response. */
export function httpResponse(payload: Uint8Array): HttpResponse | undefined {
  try {
    if (!isQuicklyParsed(payload)) return largeResponse(payload);
    const result: unknown = JSON.parse(Buffer.from(payload).toString());
    if (!isObject(result) || !('statusCode' in result)) {
      // Any other value is sent as JSON.
      return { ...readHead({}), body: Buffer.from(JSON.stringify(result)) };
    }
    const head = readHead(result);
    if (!isSendable(head)) return undefined;
    return { ...head, body: bodyOf(result['body'], result['isBase64Encoded']) };
  } catch {
    // Not JSON, or values that cannot be converted to text.
    return undefined;
  }
}

/** Of a result with many values: its body is sent as it was written. */
function largeResponse(payload: Uint8Array): HttpResponse | undefined {
  if (findJsonFault(payload) !== undefined) return undefined;
  const texts = memberTexts(payload, members);
  if (!texts?.has('statusCode')) return { ...readHead({}), body: payload };
  const body = texts.get('body');
  const isText = body === undefined || isQuicklyParsed(body);
  const others = [...texts].filter(([name]) => isText || name !== 'body');
  const result = Object.fromEntries(others.map(([name, text]) => [name, parseQuickly(text)]));
  const head = readHead(result);
  if (!isSendable(head)) return undefined;
  return { ...head, body: isText ? bodyOf(result['body'], result['isBase64Encoded']) : body };
}

const members = ['statusCode', 'headers', 'cookies', 'body', 'isBase64Encoded'];

/** Parses the head of a streamed result; undefined for an invalid one. */
function streamHead(json: Uint8Array): HttpResponseHead | undefined {
  try {
    const prelude: unknown = JSON.parse(Buffer.from(json).toString());
    const head = isObject(prelude) ? readHead(prelude) : undefined;
    return head && isSendable(head) ? head : undefined;
  } catch {
    return undefined;
  }
}

function readHead(result: Record<string, unknown>): HttpResponseHead {
  const { statusCode = 200, headers, cookies } = result;
  const given = Object.entries(isObject(headers) ? headers : {}).map(
    ([name, value]) => [name.toLowerCase(), String(value)] as const,
  );
  return {
    status: Number(statusCode),
    headers: { 'content-type': 'application/json', ...Object.fromEntries(given) },
    cookies: Array.isArray(cookies) ? cookies.map(String) : [],
  };
}

/** A status below 200 does not end a response (RFC 9110, section 15.2): the client would read what follows as the final one. */
function isSendable({ status, headers, cookies }: HttpResponseHead): boolean {
  if (!Number.isInteger(status) || status < 200 || status > 599) return false;
  try {
    for (const [name, value] of Object.entries(headers)) {
      validateHeaderName(name);
      validateHeaderValue(name, value);
    }
    for (const cookie of cookies) validateHeaderValue('set-cookie', cookie);
    return true;
  } catch {
    return false;
  }
}

function bodyOf(body: unknown, encoded: unknown): Uint8Array {
  if (body === undefined || body === null) return Buffer.alloc(0);
  if (typeof body !== 'string') return Buffer.from(JSON.stringify(body));
  return Buffer.from(body, encoded === true ? 'base64' : 'utf8');
}

/** The separator between the head of a streamed result and its body. */
const separator = Buffer.alloc(8);

/** Head of a streamed response of a function URL. */
const headBytesMax = 64 * 1024;

export interface StreamedResponse extends HttpResponseHead {
  readonly body: AsyncIterable<Uint8Array>;
}

/** Reads the head of a streamed result; undefined when there is none. */
export async function splitPrelude(
  stream: AsyncIterable<Uint8Array>,
): Promise<StreamedResponse | undefined> {
  const pieces = stream[Symbol.asyncIterator]();
  let read = Buffer.alloc(0);
  let end = -1;
  while (end < 0 && read.length < headBytesMax) {
    const next = await pieces.next();
    if (next.done === true) break;
    read = Buffer.concat([read, next.value]);
    end = read.indexOf(separator);
  }
  const head = end < 0 ? undefined : streamHead(read.subarray(0, end));
  if (!head) {
    await pieces.return?.();
    return undefined;
  }
  return { ...head, body: continued(read.subarray(end + separator.length), pieces) };
}

/**
 * What was received of a stream, and the rest of it. A generator that is returned before its first `next` would not pass that on, and
 * the program would wait for a reader.
 */
export function continued(
  received: Uint8Array,
  pieces: AsyncIterator<Uint8Array>,
): AsyncIterableIterator<Uint8Array> {
  let unread = received.length > 0 ? received : undefined;
  const body: AsyncIterableIterator<Uint8Array> = {
    [Symbol.asyncIterator]: () => body,
    async next() {
      if (unread === undefined) return pieces.next();
      const value = unread;
      unread = undefined;
      return { done: false, value };
    },
    async return() {
      unread = undefined;
      await pieces.return?.();
      return { done: true, value: undefined };
    },
  };
  return body;
}
