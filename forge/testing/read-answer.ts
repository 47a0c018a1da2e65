import { brotliDecompressSync, gunzipSync } from 'node:zlib';

import type { TestResponse } from './test-forge.ts';

/** A response as a client sees it: decompressed, and parsed where it is JSON. */
export function readResponse(response: {
  statusCode: number;
  headers: Record<string, number | string | string[] | undefined>;
  rawPayload: Buffer;
}): TestResponse {
  const headers = Object.fromEntries(
    Object.entries(response.headers).map(([name, value]) => [
      name,
      value === undefined ? undefined : String(value),
    ]),
  );
  const text = plainBytes(response.rawPayload, headers['content-encoding']).toString();
  const json = headers['content-type']?.startsWith('application/json') === true && text !== '';
  return {
    status: response.statusCode,
    headers,
    body: json ? JSON.parse(text) : undefined,
    text,
    bytes: response.rawPayload,
  };
}

function plainBytes(bytes: Buffer, encoding: string | undefined): Buffer {
  if (bytes.length === 0) return bytes;
  if (encoding === 'gzip') return gunzipSync(bytes);
  return encoding === 'br' ? brotliDecompressSync(bytes) : bytes;
}
