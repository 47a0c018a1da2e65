import { createHash, timingSafeEqual } from 'node:crypto';

/**
 * What a form must bring back to prove that a page of ours sent it. Made from the browser's cookie, which no other site
 * can read; it does not give the cookie away, and dies with it.
 */
export function formToken(secret: string): string {
  return createHash('sha256').update(`form\n${secret}`).digest('base64url');
}

export function isFormToken(secret: string, given: string): boolean {
  const wanted = Buffer.from(formToken(secret));
  const got = Buffer.from(given);
  return got.length === wanted.length && timingSafeEqual(got, wanted);
}
