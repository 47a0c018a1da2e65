import type { HttpResponseHead } from './http-response.ts';
import type { FunctionUrl } from './function-url.ts';
import { withoutOriginHeaders } from './shared-origin.ts';
import type { UrlTarget } from './url-address.ts';

/** The headers of a function's response that are sent. The URL's CORS configuration overrides those of the function. */
export function responseHeaders(
  { headers, cookies }: HttpResponseHead,
  { cors }: FunctionUrl,
  { form }: UrlTarget,
): Record<string, string | string[]> {
  const own = form === 'path' ? withoutOriginHeaders(headers) : headers;
  const sent = Object.entries(own).filter(
    ([name]) =>
      !hopHeaders.has(name) && !isForProxies(name) && !(cors && name.startsWith('access-control-')),
  );
  if (cookies.length === 0 || form === 'path') return Object.fromEntries(sent);
  const { 'set-cookie': cookie, ...others } = Object.fromEntries(sent);
  return { ...others, 'set-cookie': [...(cookie === undefined ? [] : [cookie]), ...cookies] };
}

/** A response with one of these has no content (RFC 9110, sections 15.3.5, 15.3.6 and 15.4.5), even if a function returns some. */
export const contentlessStatuses: ReadonlySet<number> = new Set([204, 205, 304]);

/** Hop-by-hop headers, which a function cannot set (RFC 9110, section 7.6.1). */
const hopHeaders = new Set([
  'connection',
  'content-length',
  'keep-alive',
  'proxy-authenticate',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

/** A proxy in front of the server would send files of its own for these. */
function isForProxies(name: string): boolean {
  return /^x-(?:accel-|sendfile$|lighttpd-send-file$|litespeed-location$|reproxy-)/.test(name);
}
