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

/** For users who want shortcuts. */
export const shortcutsScript: Asset = script('shortcuts');

/** On pages with lines of code. */
export const linesScript: Asset = script('lines', 'shortcuts');

/** On pages that show what is under way: it renews what has changed. */
export const liveScript: Asset = { ...script('live', 'shortcuts'), connects: true };

/** On pages with a diff: it puts more lines where they belong. */
export const diffScript: Asset = { ...script('diff', 'shortcuts'), connects: true };

export const assets: readonly Asset[] = [
  style,
  icon,
  shortcutsScript,
  linesScript,
  liveScript,
  diffScript,
];

/** A page loads one script, of these parts. */
function script(name: string, ...others: readonly string[]): Asset {
  const parts = [name, ...others].map((each) => readPart(each, 'mjs'));
  return assetOf(name, 'mjs', 'text/javascript; charset=utf-8', Buffer.concat(parts));
}

function asset(name: string, extension: string, contentType: string): Asset {
  return assetOf(name, extension, contentType, readPart(name, extension));
}

function readPart(name: string, extension: string): Buffer {
  return readFileSync(new URL(`${name}.${extension}`, import.meta.url));
}

function assetOf(name: string, extension: string, contentType: string, body: Buffer): Asset {
  const hash = createHash('sha256').update(body).digest('hex').slice(0, 16);
  // Relative to the page, so that the origin is that of the page, whatever the host name.
  return { path: `/assets/${name}-${hash}.${extension}`, contentType, body };
}
