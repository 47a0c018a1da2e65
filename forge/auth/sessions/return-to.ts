/** Longer addresses are not gone back to. */
const charactersMax = 4096;

/**
 * The page of this server that somebody wanted before signing in, as a path. Anything that a browser could take for
 * another server's address becomes the fallback: its rules are applied first, since they drop dots and turn backslashes.
 */
export function safeReturn(text: string | null, fallback: string): string {
  if (text === null || text.length > charactersMax || !text.startsWith('/')) return fallback;
  const url = URL.parse(text, here);
  if (!url || url.origin !== here) return fallback;
  const path = url.pathname + url.search;
  return path.startsWith('//') ? fallback : path;
}

/** Stands for this server: only what stays on it is followed. */
const here = 'http://here.invalid';
