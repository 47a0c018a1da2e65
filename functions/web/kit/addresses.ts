import type { Link } from '#web/layout.ts';

/** Below `/-/`, which no login begins with. */
export const functionsAddress = '/-/functions';

export const createAddress = '/-/create-function';

export const layersAddress = '/-/layers';

export const mappingsAddress = '/-/event-source-mappings';

/** What the site has for site administrators is below this address. */
const administrationAddress = '/-/admin';

export const resourcesAddress: string = `${administrationAddress}/resources`;

export const accessKeysAddress: string = `${administrationAddress}/access-keys`;

export const auditAddress: string = `${administrationAddress}/audit`;

/** The pages of this console that are for site administrators. */
export const administrationPages: readonly Link[] = [
  { href: resourcesAddress, label: 'Resources' },
  { href: accessKeysAddress, label: 'Access keys' },
  { href: auditAddress, label: 'Audit log' },
];

/** The address of a layer, or of one of its versions. */
export function layerAddress(layer: string, version?: number): string {
  const address = `${layersAddress}/${encodeURIComponent(layer)}`;
  return version === undefined ? address : `${address}/${version}`;
}

export function mappingAddress(uuid: string): string {
  return `${mappingsAddress}/${encodeURIComponent(uuid)}`;
}

/** The path of the page of an event source mapping, for the router. */
export const mappingPath: string = `${mappingsAddress}/:uuid`;

/** The path of the page of a layer, for the router. */
export const layerPath: string = `${layersAddress}/:layer(^[a-zA-Z0-9-_]+$)`;

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
