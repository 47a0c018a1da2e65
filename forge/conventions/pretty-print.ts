import type { FastifyRequest } from 'fastify';

/** JSON is laid out in lines for those who read it themselves (truth 1.4). */
export function isForPeople(request: Pick<FastifyRequest, 'headers'>): boolean {
  return /^(?:curl|Mozilla|Wget|HTTPie)/i.test(request.headers['user-agent'] ?? '');
}
