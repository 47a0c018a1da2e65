import type { VendorNames } from '../json/vendor.ts';

/** The lists of docs/specification/forge.md 7.1 and 7.2, plus headers and methods that current clients use. */
const allowedMethods = 'GET, POST, PATCH, PUT, DELETE';
/** Time for which a browser may remember a preflight (spec). */
const maxAgeSeconds = 86_400;

export interface CrossOriginHeaders {
  /** On every response. */
  readonly always: Readonly<Record<string, string>>;
  /** On the response to a preflight. */
  readonly preflight: Readonly<Record<string, string>>;
}

/** Any origin is allowed, because the API takes credentials only from explicit headers (docs/specification/forge.md 7.1). */
export function crossOriginHeaders(vendor: VendorNames): CrossOriginHeaders {
  const prefix = vendor.headerPrefix;
  const always = {
    'access-control-allow-origin': '*',
    'access-control-expose-headers': [
      'ETag',
      'Link',
      'Location',
      'Retry-After',
      `${prefix}OTP`,
      'X-RateLimit-Limit',
      'X-RateLimit-Remaining',
      'X-RateLimit-Used',
      'X-RateLimit-Resource',
      'X-RateLimit-Reset',
      'X-OAuth-Scopes',
      'X-Accepted-OAuth-Scopes',
      'X-Poll-Interval',
      `${prefix}Media-Type`,
      `${prefix}Request-Id`,
      'Deprecation',
      'Sunset',
    ].join(', '),
  };
  return {
    always,
    preflight: {
      ...always,
      'access-control-allow-methods': allowedMethods,
      'access-control-allow-headers': [
        'Authorization',
        'Content-Type',
        'If-Match',
        'If-Modified-Since',
        'If-None-Match',
        'If-Unmodified-Since',
        'Accept-Encoding',
        `${prefix}OTP`,
        `${prefix}Api-Version`,
        'X-Requested-With',
        'User-Agent',
        'Time-Zone',
      ].join(', '),
      'access-control-max-age': String(maxAgeSeconds),
    },
  };
}
