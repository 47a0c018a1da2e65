import type { CorsHeaders } from './cors-headers.ts';

/**
 * The path form of a function URL shares the origin of the site. Browsers send the site's cookies to it, and treat its responses as the
 * site's; this module prevents both. A URL with a host of its own does not need it.
 */

/** Headers in which a browser sends data of the site: credentials, and the referring page. */
const siteRequestHeaders: ReadonlySet<string> = new Set(['authorization', 'cookie', 'referer']);

export function withoutSiteHeaders(headers: CorsHeaders): CorsHeaders {
  return filtered(headers, (name) => !siteRequestHeaders.has(name));
}

/** A document under this policy has an origin of its own, and runs no script (CSP Level 3, directive `sandbox`). */
export const documentHeaders: CorsHeaders = {
  'content-security-policy': 'sandbox',
  'x-content-type-options': 'nosniff',
};

/**
 * The allowed headers of a function: those that describe its content (RFC 9110, section 8), and extensions that no browser knows.
 * Others set cookies, policies, service workers, alternative services and the like for the whole origin.
 */
export function withoutOriginHeaders(headers: CorsHeaders): CorsHeaders {
  const left = filtered(headers, (name) => contentHeaders.has(name) || isOwnExtension(name));
  const type = left['content-type'] ?? '';
  // Its parts are documents with headers of their own, which the policy would not reach everywhere.
  return /^\s*multipart\//i.test(type)
    ? { ...left, 'content-type': 'application/octet-stream' }
    : left;
}

const contentHeaders: ReadonlySet<string> = new Set([
  'accept-ranges',
  'allow',
  'cache-control',
  'content-disposition',
  'content-encoding',
  'content-language',
  'content-range',
  'content-type',
  'etag',
  'expires',
  'last-modified',
  'location',
  'retry-after',
  'vary',
]);

function isOwnExtension(name: string): boolean {
  return name.startsWith('x-') && !browserExtensions.has(name);
}

const browserExtensions: ReadonlySet<string> = new Set([
  'x-content-security-policy',
  'x-content-type-options',
  'x-dns-prefetch-control',
  'x-download-options',
  'x-frame-options',
  'x-permitted-cross-domain-policies',
  'x-sourcemap',
  'x-ua-compatible',
  'x-webkit-csp',
  'x-xss-protection',
]);

function filtered(headers: CorsHeaders, takes: (name: string) => boolean): CorsHeaders {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => takes(name)));
}
