/** URL to come back to after signing in; a longer one becomes the fallback. */
const charactersMax = 4096;

/**
 * The page that the user requested before signing in, as a path. Anything that a browser could interpret as the URL of
 * another server becomes the fallback; it is parsed by a browser's rules first, which resolve dots and convert backslashes.
 */
export function safeReturn(text: string | null, fallback: string): string {
  if (text === null || text.length > charactersMax || !text.startsWith('/')) return fallback;
  const url = URL.parse(text, here);
  if (!url || url.origin !== here) return fallback;
  const path = url.pathname + url.search;
  return path.startsWith('//') ? fallback : path;
}

/** A base URL that represents this server; only paths on it are accepted. */
const here = 'http://here.invalid';
