import type { Cors } from './function-url.ts';

export type CorsHeaders = Readonly<Record<string, string>>;

/** A preflight request of a browser (Fetch standard). */
export interface Preflight {
  readonly origin: string;
  readonly method: string;
}

/** Undefined for any other request. */
export function readPreflight(method: string, headers: CorsHeaders): Preflight | undefined {
  const origin = headers['origin'];
  const wanted = headers['access-control-request-method'];
  if (method !== 'OPTIONS' || origin === undefined || wanted === undefined) return undefined;
  return { origin, method: wanted };
}

/** The response to a preflight; without headers when it is not allowed. */
export function preflightHeaders(cors: Cors, { origin, method }: Preflight): CorsHeaders {
  const { AllowMethods = [], AllowHeaders, MaxAge } = cors;
  if (!AllowMethods.includes('*') && !AllowMethods.includes(method)) return {};
  const allowed = originHeaders(cors, origin);
  if (Object.keys(allowed).length === 0) return {};
  return {
    ...allowed,
    'access-control-allow-methods': AllowMethods.join(','),
    ...(AllowHeaders && { 'access-control-allow-headers': AllowHeaders.join(',') }),
    ...(MaxAge === undefined ? {} : { 'access-control-max-age': String(MaxAge) }),
  };
}

/** The headers of every response to a page of that origin. */
export function answerHeaders(cors: Cors, origin: string | undefined): CorsHeaders {
  const allowed = originHeaders(cors, origin);
  const { ExposeHeaders = [] } = cors;
  if (Object.keys(allowed).length === 0 || ExposeHeaders.length === 0) return allowed;
  return { ...allowed, 'access-control-expose-headers': ExposeHeaders.join(',') };
}

function originHeaders(
  { AllowOrigins = [], AllowCredentials }: Cors,
  origin: string | undefined,
): CorsHeaders {
  const anyOrigin = AllowOrigins.includes('*');
  if (origin === undefined || !(anyOrigin || AllowOrigins.includes(origin))) return {};
  const credentials = AllowCredentials === true;
  return {
    // Browsers do not accept `*` for requests with credentials.
    'access-control-allow-origin': anyOrigin && !credentials ? '*' : origin,
    vary: 'Origin',
    ...(credentials ? { 'access-control-allow-credentials': 'true' } : {}),
  };
}
