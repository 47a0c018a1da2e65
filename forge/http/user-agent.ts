import type { FastifyRequest } from 'fastify';

/** The refusal of requests without `User-Agent` (docs/specification/forge.md 1.6: plain text, not JSON). */
export const userAgentRefusal = {
  status: 403,
  contentType: 'text/plain; charset=utf-8',
  body:
    '\r\nRequest forbidden by administrative rules. Please make sure your request has a User-Agent header ' +
    'naming your account or application.\r\n',
} as const;

export function hasUserAgent(userAgent: string | undefined): boolean {
  return userAgent !== undefined && userAgent.trim() !== '';
}

/** Formats JSON with line breaks for clients that people use directly. */
export function wantsPrettyJson(request: Pick<FastifyRequest, 'headers'>): boolean {
  return /^(?:curl|Mozilla|Wget|HTTPie)/i.test(request.headers['user-agent'] ?? '');
}
