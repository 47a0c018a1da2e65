import aws4 from 'aws4';

import { accessKey } from '../scenarios/function-service.ts';

/** The headers of a signed request; good for some minutes, longer than anything here is measured. */
export function signedHeaders(method: string, url: URL, body: string): Record<string, string> {
  const { headers = {} } = aws4.sign(
    { method, host: url.host, path: url.pathname, body, service: 'lambda', region: 'us-east-1' },
    accessKey,
  );
  const ours = new Set(['host', 'content-length']);
  return Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) =>
      value === undefined || ours.has(name.toLowerCase()) ? [] : [[name, String(value)]],
    ),
  );
}
