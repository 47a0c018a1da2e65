import { isDecodable } from '#platform/decodable.ts';

/** No route has this path, so the pipeline refuses requests to it. */
const refusedPath = '/api/v3/-/unreadable';

/**
 * Diverts URLs that cannot be decoded to a path without a route, so that the pipeline counts and refuses them in the
 * documented shape: the router itself would answer them before the pipeline runs.
 */
export function divertMalformedUrl(url: string): string {
  return isReadable(url) ? url : refusedPath;
}

/** Whether the percent-encoded path is valid UTF-8. */
export function isReadable(url: string): boolean {
  const end = url.indexOf('?');
  const path = end === -1 ? url : url.slice(0, end);
  return !path.includes('%') || isDecodable(path);
}

/**
 * The API is also served at the root, because some clients omit the prefix. What is below `/repos` and `/repositories`, most of
 * it, is diverted to the prefix here: each route at both paths would cost every start a tenth of its time.
 */
export function addPrefix(url: string): string {
  return /^\/repos(?:itories)?\//.test(url) ? `/api/v3${url}` : url;
}

/** Stands for an owner where a path names a repository by its id; no login begins with a dash. */
export const byIdOwner = '-';

const ofRepository = /^(\/api\/(?:v3|uploads))\/(repositories|repos\/(?:-|%2d))(?=\/[^/?])/i;

/** Diverts `/repositories/:id` to the routes of `/repos/:owner/:repo`: each route at both paths would cost every start a tenth of its time. */
export function divertById(url: string): string {
  const [whole, before = '', segment] = ofRepository.exec(url) ?? [];
  if (whole === undefined) return url;
  if (segment !== 'repositories') return refusedPath;
  return `${before}/repos/${byIdOwner}${url.slice(whole.length)}`;
}

/**
 * Branch names contain slashes, and clients send them unencoded in the middle of a path (`commits/feature/x/status`).
 * They are encoded before routing, so that a path parameter matches the whole name.
 */
const refSegments: readonly RegExp[] = [
  /^(\/api\/v3\/repos\/[^/]+\/[^/]+\/commits\/)(.+?)(\/(?:status|statuses|check-runs|check-suites|comments|pulls|branches-where-head))?$/,
  /^(\/api\/v3\/repos\/[^/]+\/[^/]+\/statuses\/)(.+?)()$/,
  /^(\/api\/v3\/repos\/[^/]+\/[^/]+\/branches\/)(.+?)(\/(?:protection(?:\/.*)?|rename))?$/,
  /^(\/api\/v3\/repos\/[^/]+\/[^/]+\/compare\/)(.+?)()$/,
  /^(\/api\/v3\/repos\/[^/]+\/[^/]+\/git\/trees\/)(.+?)()$/,
];

/** The URL with the slashes of its ref encoded; other URLs unchanged. */
export function encodeRefInPath(url: string): string {
  const end = url.indexOf('?');
  const path = end === -1 ? url : url.slice(0, end);
  for (const pattern of refSegments) {
    const match = pattern.exec(path);
    if (!match) continue;
    const [, before = '', ref = '', after = ''] = match;
    if (!ref.includes('/')) return url;
    return before + ref.replaceAll('/', '%2F') + after + (end === -1 ? '' : url.slice(end));
  }
  return url;
}
