import type { Operation } from '#functions-contract/operation.ts';

import type { TestRequest } from './test-functions.ts';

/** The request that a client sends for an operation: written apart from what reads it. */
export function requestOf(
  operation: Operation,
  input: Readonly<Record<string, unknown>>,
): TestRequest {
  const query = new URLSearchParams();
  const headers: Record<string, string> = {};
  const body: Record<string, unknown> = {};
  let payload: Buffer | undefined;
  let target = operation.path;
  for (const [name, value] of Object.entries(input)) {
    const location = operation.input.members[name]?.location ?? { in: 'body' };
    switch (location.in) {
      case 'path':
        target = target.replace(`{${name}}`, encodeURIComponent(String(value)));
        break;
      case 'query':
        for (const item of Array.isArray(value) ? value : [value]) {
          query.append(location.name, String(item));
        }
        break;
      case 'header':
        headers[location.name] = String(value);
        break;
      case 'payload':
        payload = payloadOf(value);
        break;
      case 'body':
      case 'status':
        body[name] = value;
    }
  }
  const hasBody = Object.values(operation.input.members).some(
    ({ location }) => location.in === 'body',
  );
  const sent = payload ?? (hasBody ? Buffer.from(JSON.stringify(body, bytesInBase64)) : undefined);
  const fixed = target.includes('?');
  return {
    method: operation.method,
    target: query.size === 0 ? target : `${target}${fixed ? '&' : '?'}${query.toString()}`,
    headers: {
      ...(hasBody && payload === undefined ? { 'content-type': 'application/json' } : {}),
      ...headers,
    },
    ...(sent === undefined ? {} : { body: sent }),
  };
}

function payloadOf(value: unknown): Buffer {
  if (value instanceof Uint8Array) return Buffer.from(value);
  return Buffer.from(typeof value === 'string' ? value : JSON.stringify(value));
}

/** Buffers come here as what their toJSON made of them. */
function bytesInBase64(_key: string, value: unknown): unknown {
  if (value instanceof Uint8Array) return Buffer.from(value).toString('base64');
  if (typeof value === 'object' && value !== null && 'type' in value && 'data' in value) {
    if (value.type === 'Buffer' && Array.isArray(value.data)) {
      return Buffer.from(value.data).toString('base64');
    }
  }
  return value;
}
