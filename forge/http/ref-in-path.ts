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
