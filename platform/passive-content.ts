/**
 * Headers of everything that is not a page of the site. A browser that is led to it shows it as what its type says or not at all;
 * as a document it has an origin of its own, runs nothing and loads nothing (CSP Level 3); no page of another origin embeds it
 * (Fetch, "Cross-Origin-Resource-Policy").
 */
export const passiveContentHeaders = {
  'x-content-type-options': 'nosniff',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'; sandbox",
  'cross-origin-resource-policy': 'same-origin',
} as const;

/** HTTP Strict Transport Security (RFC 6797), which browsers apply to HTTPS only; the same for pages and the API. */
export const strictTransportSecurity = 'max-age=31536000; includeSubdomains; preload';
