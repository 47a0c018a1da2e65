import type { Cors } from './function-url.ts';

export type Headers = Readonly<Record<string, string>>;

/** What a browser asks with before a page of another origin may send its request. */
export interface Preflight {
  readonly origin: string;
  readonly method: string;
}

/** Undefined for a request that is no preflight. */
export function readPreflight(method: string, headers: Headers): Preflight | undefined {
  const origin = headers['origin'];
  const wanted = headers['access-control-request-method'];
  if (method !== 'OPTIONS' || origin === undefined || wanted === undefined) return undefined;
  return { origin, method: wanted };
}

/** The answer to a preflight; without headers when the page may not. */
export function preflightHeaders(cors: Cors, { origin, method }: Preflight): Headers {
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

/** What goes with every answer to a page of that origin. */
export function answerHeaders(cors: Cors, origin: string | undefined): Headers {
  const allowed = originHeaders(cors, origin);
  const { ExposeHeaders = [] } = cors;
  if (Object.keys(allowed).length === 0 || ExposeHeaders.length === 0) return allowed;
  return { ...allowed, 'access-control-expose-headers': ExposeHeaders.join(',') };
}

function originHeaders(
  { AllowOrigins = [], AllowCredentials }: Cors,
  origin: string | undefined,
): Headers {
  const everybody = AllowOrigins.includes('*');
  if (origin === undefined || !(everybody || AllowOrigins.includes(origin))) return {};
  const credentials = AllowCredentials === true;
  return {
    // Browsers take no star together with cookies.
    'access-control-allow-origin': everybody && !credentials ? '*' : origin,
    vary: 'Origin',
    ...(credentials ? { 'access-control-allow-credentials': 'true' } : {}),
  };
}
