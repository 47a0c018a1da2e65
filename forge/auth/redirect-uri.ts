/** Hosts of applications on the user's own machine. */
const loopbackNames = new Set(['127.0.0.1', '[::1]', 'localhost']);
/** Callback URL and `redirect_uri`. */
const charactersMax = 2048;

/** Why a text is not a valid callback URL, as a message; undefined if it is valid. */
export function callbackProblem(text: string): string | undefined {
  if (parse(text)) return undefined;
  return `callback_url '${text}' is not a URL like https://example.org/callback, without a fragment and a password`;
}

/**
 * The redirect URI: the requested one, if it is the callback URL or a path below it on the same host and port, or the
 * callback URL if none is requested; undefined for any other request. On loopback any port is allowed, because an
 * application on the user's machine listens on a free port (RFC 8252, 7.3).
 */
export function redirectOf(
  callbackUrl: string,
  requestedUri: string | undefined,
): string | undefined {
  const registered = parse(callbackUrl);
  const url = parse(requestedUri ?? callbackUrl);
  if (!registered || !url) return undefined;
  const sameHost = loopbackNames.has(registered.hostname)
    ? url.hostname === registered.hostname
    : url.host === registered.host;
  if (!sameHost || url.protocol !== registered.protocol) return undefined;
  const folder = registered.pathname.replace(/\/?$/, '/');
  if (url.pathname !== registered.pathname && !url.pathname.startsWith(folder)) return undefined;
  return url.href;
}

/** Adds parameters to a URL. */
export function withParameters(
  uri: string,
  parameters: Readonly<Record<string, string | undefined>>,
): string {
  const url = new URL(uri);
  for (const [name, value] of Object.entries(parameters)) {
    if (value !== undefined) url.searchParams.append(name, value);
  }
  return url.href;
}

/** Parses like a browser, which resolves dots. Characters that other parsers may read as dots or slashes are refused. */
function parse(text: string): URL | undefined {
  if (text.length > charactersMax) return undefined;
  const url = URL.parse(text);
  if (!url || (url.protocol !== 'https:' && url.protocol !== 'http:')) return undefined;
  if (url.username !== '' || url.password !== '' || text.includes('#')) return undefined;
  if (/%2f|%5c/i.test(url.pathname)) return undefined;
  // The host becomes part of a Content-Security-Policy, where a semicolon would start another directive.
  return /^(?:[a-z0-9.-]+|\[[0-9a-f:.]+\])$/.test(url.hostname) ? url : undefined;
}
