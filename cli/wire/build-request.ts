import type { Operation } from '#functions-contract/operation.ts';
import type { Shape } from '#functions-contract/shape.ts';

import {
  type InputMap,
  inputMap,
  type InputValue,
  isInputList,
} from '../validation/input-value.ts';
import { printedValue } from '../validation/printed-value.ts';
import { jsonLine } from './write-json.ts';

/** The request of an operation; the input is valid. */
export function buildRequest(operation: Operation, input: InputMap): WireRequest {
  const query: string[] = [];
  const headers: Record<string, string> = {};
  const body = inputMap();
  let path = operation.path;
  let payload: Uint8Array | undefined;
  for (const [name, value] of Object.entries(input)) {
    const member = operation.input.members[name];
    if (member === undefined) continue;
    const { location, shape } = member;
    if (location.in === 'path') path = withPathMember(path, name, wireText(value));
    else if (location.in === 'query') query.push(...queryPairs(location.name, value));
    else if (location.in === 'header') headers[location.name.toLowerCase()] = wireText(value);
    else if (location.in === 'payload') payload = payloadBytes(value, shape);
    else if (location.in === 'body') body[name] = bodyValue(value, shape);
  }
  if (hasJsonBody(operation)) {
    headers['content-type'] = 'application/json';
    payload = new TextEncoder().encode(jsonLine(body));
  }
  const search = query.length === 0 ? '' : `${path.includes('?') ? '&' : '?'}${query.join('&')}`;
  return {
    method: operation.method,
    path: path + search,
    headers,
    body: payload ?? new Uint8Array(),
    returnsPayload: returnsPayload(operation),
  };
}

/** Also when none of its members is given: then it is `{}`. */
function hasJsonBody(operation: Operation): boolean {
  return Object.values(operation.input.members).some((member) => member.location.in === 'body');
}

function returnsPayload({ output }: Operation): boolean {
  return Object.values(output.members).some(({ location }) => location.in === 'payload');
}

/** `{Name}` and `{Name+}`, which preserves its slashes. */
function withPathMember(path: string, name: string, text: string): string {
  return path
    .replace(`{${name}}`, () => percentEncoded(text))
    .replace(`{${name}+}`, () => text.split('/').map(percentEncoded).join('/'));
}

function queryPairs(name: string, value: InputValue): string[] {
  const items = isInputList(value) ? value : [value];
  return items.map((item) => `${percentEncoded(name)}=${percentEncoded(wireText(item))}`);
}

/** All but letters, digits and `-_.~`, so that the signature is over the very same bytes. */
function percentEncoded(text: string): string {
  return encodeURIComponent(text.toWellFormed()).replaceAll(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

function wireText(value: InputValue): string {
  if (typeof value === 'boolean') return String(value);
  return value instanceof Uint8Array ? Buffer.from(value).toString('base64') : printedValue(value);
}

function payloadBytes(value: InputValue, shape: Shape): Uint8Array {
  if (value instanceof Uint8Array) return value;
  return new TextEncoder().encode(
    shape.type === 'blob' || shape.type === 'string' ? wireText(value) : jsonLine(value),
  );
}

/** Timestamps are sent as seconds since the epoch. */
function bodyValue(value: InputValue, shape: Shape): InputValue {
  if (shape.type !== 'timestamp' || typeof value !== 'string') return value;
  return Math.floor(Date.parse(value) / 1000);
}

/** What goes to the service, without the address of the server. */
export interface WireRequest {
  readonly method: string;
  /** From the root, percent-encoded, with the query. */
  readonly path: string;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
  /** The body of the response is a payload, such as what a function returned: where it is cut off, another attempt would invoke the function again. */
  readonly returnsPayload: boolean;
}
