import { createHash, timingSafeEqual } from 'node:crypto';

/**
 * The CSRF token, which proves that a form comes from a page of this server. It is derived from the session cookie, which no
 * other site can read; it does not reveal the cookie and is valid as long as the cookie.
 */
export function formToken(secret: string): string {
  return createHash('sha256').update(`form\n${secret}`).digest('base64url');
}

export function isFormToken(secret: string, provided: string): boolean {
  const wanted = Buffer.from(formToken(secret));
  const got = Buffer.from(provided);
  return got.length === wanted.length && timingSafeEqual(got, wanted);
}
