import { clearCookie, readCookie, writeCookie } from '#web/cookies.ts';

import { sha256 } from '../../auth/token.ts';
import type { WebContext } from './web-context.ts';
import type { SignedIn } from './with-session.ts';

/** Time that a secret that a page shows once waits in its cookie. */
const milliseconds = 60_000;

/** The cookie with a text for the next page of this session, sealed. A reload neither shows it again nor makes another. */
export function showOnce(
  { ports, session, baseUrl }: WebContext & SignedIn,
  about: string,
  text: string,
): string {
  const sealed = ports.sealing.seal(Buffer.from(text), purpose(about, session.secret));
  const value = Buffer.from(sealed).toString('base64url');
  return writeCookie('shown', value, { baseUrl, milliseconds });
}

/** The text, with the cookie that forgets it; undefined: there is none for this session. */
export function readShown(
  { ports, session, cookies, baseUrl }: WebContext & SignedIn,
  about: string,
): { readonly text: string; readonly cookies: readonly string[] } | undefined {
  const cookie = readCookie(cookies, 'shown', baseUrl);
  const sealed = cookie === undefined ? '' : Buffer.from(cookie, 'base64url').toString();
  const text = ports.sealing.unseal(sealed, purpose(about, session.secret));
  return text && { text: Buffer.from(text).toString(), cookies: [clearCookie('shown', baseUrl)] };
}

function purpose(about: string, sessionSecret: string): string {
  return `${about} ${sha256(sessionSecret)}`;
}
