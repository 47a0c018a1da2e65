import type { FastifyRequest } from 'fastify';

/** JSON is laid out in lines for those who read it themselves. */
export function wantsPrettyJson(request: Pick<FastifyRequest, 'headers'>): boolean {
  return /^(?:curl|Mozilla|Wget|HTTPie)/i.test(request.headers['user-agent'] ?? '');
}
