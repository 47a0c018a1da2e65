import { isDecodable } from '#platform/decodable.ts';

import {
  isSignedForFunctions,
  otherServicesPath,
  recogniseService,
  type RequestLine,
} from './recognise-service.ts';
import { readUrlTarget, urlRoute } from '../urls/url-address.ts';

/** No operation has this path: http/register-operations.ts refuses requests to it with UnknownOperationException. */
const unknownOperationPath = '/2015-03-31/-';

/** Where the router takes a request, by the path that it gets in place of the request's own; undefined: to the forge, by its own. */
export function functionServicePath(request: RequestLine): string | undefined {
  const { url = '/', headers } = request;
  // Requests to function URLs always belong to the function.
  if (!readUrlTarget(url, headers.host) && recogniseService(request)) return otherServicesPath;
  // Function URLs and all paths of operations, which begin with the date of a version.
  const route = functionUrlRoute(url, headers.host);
  if (route !== undefined) return route;
  // Signed for Lambda, but the path belongs to no version of its API. The forge would answer in a format that clients of Lambda cannot read.
  return isSignedForFunctions(request) ? unknownOperationPath : undefined;
}

/** Paths of the service begin with the date of an interface's version. */
const versionedPath = /^(\/20\d\d-\d\d-\d\d)(?:\/([^?]*))?(?:\?|$)/;

/**
 * The router's path for the address of a function URL or for the path of an operation; undefined when it is neither. A path that cannot be decoded, or that ends after the
 * version, leads to no operation: the router itself would respond with an error of its own.
 */
function functionUrlRoute(url: string, host?: string): string | undefined {
  const target = readUrlTarget(url, host);
  if (target) return urlRoute(target);
  const [, version, path] = versionedPath.exec(url) ?? [];
  if (version === undefined) return undefined;
  return path && isReadable(path) ? url : `${version}/-`;
}

function isReadable(path: string): boolean {
  return !path.includes('%') || isDecodable(path);
}
