/** The names by which an application on the user's own machine is reached. */
const loopbackNames = new Set(['127.0.0.1', '[::1]', 'localhost']);
const charactersMax = 2048;

/** Why a text cannot be an application's callback URL, as a sentence; undefined when it can. */
export function callbackProblem(text: string): string | undefined {
  if (parse(text)) return undefined;
  return `callback_url '${text}' is not a URL like https://example.org/callback, without a fragment and a password`;
}

/**
 * Where to send the user back to: what the request wishes, if it is the callback URL or below it on the same host and
 * port, else the callback URL itself; undefined when the wish is elsewhere. On loopback any port will do, since an
 * application on the user's machine takes what is free.
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

/** The address with more parameters; what it has stays. */
export function withParameters(
  address: string,
  parameters: Readonly<Record<string, string | undefined>>,
): string {
  const url = new URL(address);
  for (const [name, value] of Object.entries(parameters)) {
    if (value !== undefined) url.searchParams.append(name, value);
  }
  return url.href;
}

/** Read by a browser's rules, which resolve dots. What other readers could take for dots or slashes is refused. */
function parse(text: string): URL | undefined {
  if (text.length > charactersMax) return undefined;
  const url = URL.parse(text);
  if (!url || (url.protocol !== 'https:' && url.protocol !== 'http:')) return undefined;
  if (url.username !== '' || url.password !== '' || text.includes('#')) return undefined;
  if (/%2f|%5c/i.test(url.pathname)) return undefined;
  // It becomes part of a page's policy, where a semicolon would begin another rule.
  return /^(?:[a-z0-9.-]+|\[[0-9a-f:.]+\])$/.test(url.hostname) ? url : undefined;
}
