import { functionAddress } from '../http/rewrite-function-url.ts';
import { isSignedForFunctions, recogniseService, type RequestLine } from './recognise-service.ts';
import { readUrlTarget } from '../urls/url-address.ts';

/** The internal path for requests to other AWS services; clients never request it. */
export const otherServicesPath = '/-/other-services';

/** No operation is here, so it is refused as the function service refuses. */
const noOperation = '/2015-03-31/-';

/** The router's path for a request to the function service; undefined for requests to the forge. */
export function serviceAddress(request: RequestLine): string | undefined {
  const { url = '/', headers } = request;
  // Requests to function URLs always belong to the function.
  if (!readUrlTarget(url, headers.host) && recogniseService(request)) return otherServicesPath;
  const address = functionAddress(url, headers.host);
  return address ?? (isSignedForFunctions(request) ? noOperation : undefined);
}
