import { isDecodable } from '#platform/decodable.ts';

import { readUrlTarget, urlRoute } from '../urls/url-address.ts';

/** Paths of the service begin with the date of an interface's version. */
const versionedPath = /^(\/20\d\d-\d\d-\d\d)(?:\/([^?]*))?(?:\?|$)/;

/**
 * The router's path for the address of a function URL or for the path of an operation; undefined when it is neither. A path that cannot be decoded, or that ends after the
 * version, leads to no operation: the router itself would respond with an error of its own.
 */
export function functionUrlRoute(url: string, host?: string): string | undefined {
  const target = readUrlTarget(url, host);
  if (target) return urlRoute(target);
  const [, version, path] = versionedPath.exec(url) ?? [];
  if (version === undefined) return undefined;
  return path && isReadable(path) ? url : `${version}/-`;
}

function isReadable(path: string): boolean {
  return !path.includes('%') || isDecodable(path);
}
