/** No route has this address, so that the pipeline refuses what is sent to it. */
const refusedAddress = '/api/v3/-/unreadable';

/**
 * Sends addresses that cannot be decoded to where they are refused like everything else, counted and in the documented
 * shape: the router itself would answer them before the pipeline is met.
 */
export function divertUnreadable(url: string): string {
  return isReadable(url) ? url : refusedAddress;
}

/** Whether the escapes of the path are bytes of text. */
export function isReadable(url: string): boolean {
  const end = url.indexOf('?');
  const path = end === -1 ? url : url.slice(0, end);
  if (!path.includes('%')) return true;
  try {
    decodeURIComponent(path);
    return true;
  } catch {
    return false;
  }
}

/**
 * Branch names hold slashes, and clients send them unencoded in the middle of a path (`commits/feature/x/status`).
 * Before routing they are encoded, so that a route's parameter takes the whole name.
 */
const refSegments: readonly RegExp[] = [
  /^((?:\/api\/v3)?\/(?:repos\/[^/]+\/[^/]+|repositories\/\d+)\/commits\/)(.+?)(\/(?:status|statuses|check-runs|check-suites|comments|pulls|branches-where-head))?$/,
  /^((?:\/api\/v3)?\/(?:repos\/[^/]+\/[^/]+|repositories\/\d+)\/statuses\/)(.+?)()$/,
  /^((?:\/api\/v3)?\/(?:repos\/[^/]+\/[^/]+|repositories\/\d+)\/branches\/)(.+?)(\/(?:protection(?:\/.*)?|rename))?$/,
  /^((?:\/api\/v3)?\/(?:repos\/[^/]+\/[^/]+|repositories\/\d+)\/compare\/)(.+?)()$/,
  /^((?:\/api\/v3)?\/(?:repos\/[^/]+\/[^/]+|repositories\/\d+)\/git\/trees\/)(.+?)()$/,
];

/** The URL with the slashes of its ref encoded; any other URL as it came. */
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
