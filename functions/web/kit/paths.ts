import type { Link } from '#web/layout.ts';

/** Below `/-/`, which no login begins with. */
export const functionsPath = '/-/functions';

export const createPath = '/-/create-function';

export const layersPath = '/-/layers';

export const mappingsPath = '/-/event-source-mappings';

/** What the site has for site administrators is below this URL. */
const administrationPath = '/-/admin';

export const resourcesPath: string = `${administrationPath}/resources`;

export const accessKeysPath: string = `${administrationPath}/access-keys`;

export const auditPath: string = `${administrationPath}/audit`;

/** The pages of this console that are for site administrators. */
export const administrationPages: readonly Link[] = [
  { href: resourcesPath, label: 'Resources' },
  { href: accessKeysPath, label: 'Access keys' },
  { href: auditPath, label: 'Audit log' },
];

/** The URL of a layer, or of one of its versions. */
export function layerPath(layer: string, version?: number): string {
  const pageUrl = `${layersPath}/${encodeURIComponent(layer)}`;
  return version === undefined ? pageUrl : `${pageUrl}/${version}`;
}

export function mappingPath(uuid: string): string {
  return `${mappingsPath}/${encodeURIComponent(uuid)}`;
}

/** The path of the page of an event source mapping, for the router. */
export const mappingRoute: string = `${mappingsPath}/:uuid`;

/** The path of the page of a layer, for the router. */
export const layerRoute: string = `${layersPath}/:layer(^[a-zA-Z0-9-_]+$)`;

/** The URL of a page of a function. */
export function functionPath(name: string, page = ''): string {
  const pageUrl = `${functionsPath}/${encodeURIComponent(name)}`;
  return page === '' ? pageUrl : `${pageUrl}/${page}`;
}

/** The path of a page of a function, for the router. */
export function functionRoute(page = ''): string {
  const path = `${functionsPath}/:name(^[a-zA-Z0-9-_.]+$)`;
  return page === '' ? path : `${path}/${page}`;
}
