/** Below `/-/`, which no login begins with. */
export const functionsAddress = '/-/functions';

export const createAddress = '/-/create-function';

/** The address of a page of a function. */
export function functionAddress(name: string, page = ''): string {
  const address = `${functionsAddress}/${encodeURIComponent(name)}`;
  return page === '' ? address : `${address}/${page}`;
}

/** The path of a page of a function, for the router. */
export function functionPath(page = ''): string {
  const path = `${functionsAddress}/:name(^[a-zA-Z0-9-_.]+$)`;
  return page === '' ? path : `${path}/${page}`;
}
