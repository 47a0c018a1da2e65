/**
 * What this server keeps in a browser: `session` once somebody is signed in, `visit` before that, so that the sign-in
 * form is bound to the browser it was sent to.
 */
export type CookieName = 'session' | 'visit';

/** A cookie of ours in the header of a request; undefined where there is none that we could have made. */
export function readCookie(
  header: string | undefined,
  name: CookieName,
  baseUrl: string,
): string | undefined {
  const wanted = fullName(name, baseUrl);
  for (const pair of header?.split(';') ?? []) {
    const [written = '', value = ''] = pair.trim().split('=', 2);
    if (written === wanted && /^[\w-]{43}$/.test(value)) return value;
  }
  return undefined;
}

/** Out of reach of scripts and of requests that other sites make a browser send, links aside. */
export function writeCookie(
  name: CookieName,
  value: string,
  { baseUrl, milliseconds }: { baseUrl: string; milliseconds: number },
): string {
  const secure = isSecure(baseUrl) ? '; Secure' : '';
  const seconds = Math.floor(milliseconds / 1000);
  return `${fullName(name, baseUrl)}=${value}; Path=/; Max-Age=${seconds}; HttpOnly; SameSite=Lax${secure}`;
}

export function clearCookie(name: CookieName, baseUrl: string): string {
  return writeCookie(name, '', { baseUrl, milliseconds: 0 });
}

/** By this prefix browsers promise that no other host, and nothing unencrypted, has set the cookie. */
function fullName(name: CookieName, baseUrl: string): string {
  return `${isSecure(baseUrl) ? '__Host-' : ''}hob_${name}`;
}

function isSecure(baseUrl: string): boolean {
  return baseUrl.startsWith('https:');
}
