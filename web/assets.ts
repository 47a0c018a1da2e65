import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';

/** A file that pages load. Its name has the hash of its content, so that browsers may keep it for ever (RFC 8246). */
export interface Asset {
  readonly path: string;
  readonly contentType: string;
  readonly body: Buffer;
  /** A script that sends requests to this server. */
  readonly connects?: true;
}

export const style: Asset = asset('site', 'css', 'text/css; charset=utf-8');
export const icon: Asset = asset('icon', 'svg', 'image/svg+xml');

/** On pages with lines of code. */
export const linesScript: Asset = asset('lines', 'mjs', 'text/javascript; charset=utf-8');

/** On pages that show what is under way: it renews what has changed. */
export const liveScript: Asset = {
  ...asset('live', 'mjs', 'text/javascript; charset=utf-8'),
  connects: true,
};

export const assets: readonly Asset[] = [style, icon, linesScript, liveScript];

function asset(name: string, extension: string, contentType: string): Asset {
  const body = readFileSync(new URL(`${name}.${extension}`, import.meta.url));
  const hash = createHash('sha256').update(body).digest('hex').slice(0, 16);
  // Relative to the page, so that the origin is that of the page, whatever the host name.
  return { path: `/assets/${name}-${hash}.${extension}`, contentType, body };
}
