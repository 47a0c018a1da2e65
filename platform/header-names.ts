import type { IncomingMessage, OutgoingHttpHeader, OutgoingHttpHeaders } from 'node:http';

import { ServerResponse } from './node-http.ts';

/**
 * Header names as RFC 9110 and the services whose clients we answer write them. Names are case-insensitive, but there are
 * clients that read HTTP/1.1 and look for `Link:` or `ETag:` by exactly these letters; the framework makes them small.
 */
const documentedNames = [
  'Accept-Ranges',
  'Access-Control-Allow-Credentials',
  'Access-Control-Allow-Headers',
  'Access-Control-Allow-Methods',
  'Access-Control-Allow-Origin',
  'Access-Control-Expose-Headers',
  'Access-Control-Max-Age',
  'Age',
  'Allow',
  'Cache-Control',
  'Connection',
  'Content-Disposition',
  'Content-Encoding',
  'Content-Language',
  'Content-Length',
  'Content-Location',
  'Content-Range',
  'Content-Security-Policy',
  'Content-Type',
  'Cross-Origin-Opener-Policy',
  'Cross-Origin-Resource-Policy',
  'Date',
  'Deprecation',
  'ETag',
  'Expires',
  'Last-Modified',
  'Link',
  'Location',
  'Permissions-Policy',
  'Pragma',
  'Referrer-Policy',
  'Refresh',
  'Retry-After',
  'Server',
  'Server-Timing',
  'Set-Cookie',
  'Status',
  'Strict-Transport-Security',
  'Sunset',
  'Trailer',
  'Transfer-Encoding',
  'Upgrade',
  'Vary',
  'Via',
  'Warning',
  'WWW-Authenticate',
  'X-Accepted-OAuth-Scopes',
  'X-Amz-Durable-Execution-Arn',
  'X-Amz-Executed-Version',
  'X-Amz-Function-Error',
  'X-Amz-Log-Result',
  'x-amzn-ErrorType',
  'x-amzn-RequestId',
  'X-Amzn-Trace-Id',
  'X-Content-Type-Options',
  'X-Frame-Options',
  'X-OAuth-Client-Id',
  'X-OAuth-Scopes',
  'X-Poll-Interval',
  'X-RateLimit-Limit',
  'X-RateLimit-Remaining',
  'X-RateLimit-Reset',
  'X-RateLimit-Resource',
  'X-RateLimit-Used',
  'X-XSS-Protection',
] as const;

type Headers = OutgoingHttpHeaders | OutgoingHttpHeader[];

/**
 * Responses for a server whose header names go out as they are documented, whatever writes them and however it spells
 * them. `more` are further names, those that contain the vendor name. Unknown names are sent as given.
 */
export function responseWithDocumentedNames(more: readonly string[]): typeof ServerResponse {
  const names = new Map([...documentedNames, ...more].map((name) => [name.toLowerCase(), name]));
  const documented = (name: string): string =>
    names.get(name) ?? names.get(name.toLowerCase()) ?? name;

  return class<Request extends IncomingMessage = IncomingMessage> extends ServerResponse<Request> {
    override setHeader(name: string, value: number | string | readonly string[]): this {
      return super.setHeader(documented(name), value);
    }

    override writeHead(
      status: number,
      messageOrHeaders?: string | Headers,
      headers?: Headers,
    ): this {
      const provided = typeof messageOrHeaders === 'string' ? headers : messageOrHeaders;
      // Node refuses an empty message, and takes its own for undefined.
      const message = typeof messageOrHeaders === 'string' ? messageOrHeaders : undefined;
      return super.writeHead(
        status,
        message,
        provided && withDocumentedNames(provided, documented),
      );
    }
  };
}

/** Names and values in turn, which node:http writes as they are. */
function withDocumentedNames(
  headers: Headers,
  documented: (name: string) => string,
): OutgoingHttpHeader[] {
  const written: OutgoingHttpHeader[] = [];
  if (Array.isArray(headers)) {
    for (let index = 0; index < headers.length; index += 2) {
      written.push(documented(String(headers[index])), headers[index + 1] ?? '');
    }
    return written;
  }
  // Not Object.entries: its pairs cost 4 us of every response.
  for (const name of Object.keys(headers)) {
    const value = headers[name];
    if (value !== undefined) written.push(documented(name), value);
  }
  return written;
}
