import { functionAddress } from '../http/rewrite-function-url.ts';
import { isSignedForFunctions, recogniseService, type RequestLine } from './recognise-service.ts';
import { readUrlTarget } from '../urls/url-address.ts';

/** Where requests to other services of the vendor are answered; nobody asks for it by name. */
export const otherServicesPath = '/-/other-services';

/** No operation is here, so it is refused as the function service refuses. */
const noOperation = '/2015-03-31/-';

/** Where the router is to look for a request that the functions answer; undefined for the forge's. */
export function serviceAddress(request: RequestLine): string | undefined {
  const { url = '/', headers } = request;
  // Requests to function URLs are the functions' own, whatever is in them.
  if (!readUrlTarget(url, headers.host) && recogniseService(request)) return otherServicesPath;
  const address = functionAddress(url, headers.host);
  return address ?? (isSignedForFunctions(request) ? noOperation : undefined);
}
