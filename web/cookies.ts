/**
 * The cookies of this server: `session` for a signed-in user, `visit` before that, which binds the sign-in form to the browser,
 * `shown` for what the next page shows once, encrypted, `diff` for how diffs are shown, `theme` unless it is that of the system, and
 * `shortcuts` where they are off.
 */
export type CookieName = 'session' | 'visit' | 'shown' | 'diff' | 'theme' | 'shortcuts';

const values: Readonly<Record<CookieName, RegExp>> = {
  session: /^[\w-]{43}$/,
  visit: /^[\w-]{43}$/,
  shown: /^[\w-]{1,2000}$/,
  diff: /^(?:unified|split)$/,
  theme: /^(?:light|dark)$/,
  shortcuts: /^off$/,
};

/** Reads a cookie of this server; undefined if it is absent or malformed. */
export function readCookie(
  header: string | undefined,
  name: CookieName,
  baseUrl: string,
): string | undefined {
  const wanted = fullName(name, baseUrl);
  for (const pair of header?.split(';') ?? []) {
    const [written = '', value = ''] = pair.trim().split('=', 2);
    if (written === wanted && values[name].test(value)) return value;
  }
  return undefined;
}

/** `HttpOnly` and `SameSite=Lax`: hidden from scripts, and sent with requests from other sites only for links. */
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

/** With the prefix `__Host-`, browsers guarantee that the cookie was set by this host over HTTPS. */
function fullName(name: CookieName, baseUrl: string): string {
  return `${isSecure(baseUrl) ? '__Host-' : ''}hob_${name}`;
}

function isSecure(baseUrl: string): boolean {
  return baseUrl.startsWith('https:');
}
