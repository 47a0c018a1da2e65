export type TelemetryKind = 'platform' | 'function' | 'extension';

export interface Subscription {
  readonly kinds: ReadonlySet<TelemetryKind>;
  readonly destination: URL;
  readonly maxItems: number;
  readonly maxBytes: number;
  readonly timeoutMs: number;
}

/** The body of a subscription to telemetry or logs; undefined when it is not one. */
export function parseSubscription(body: Buffer): Subscription | undefined {
  const given = parsed(body);
  const kinds = kindsOf(member(given, 'types'));
  const destination = destinationOf(member(given, 'destination'));
  if (kinds === undefined || destination === undefined) return undefined;
  const buffering = member(given, 'buffering');
  const maxItems = limited(member(buffering, 'maxItems'), 1000, 10_000, 10_000);
  const maxBytes = limited(member(buffering, 'maxBytes'), 262_144, 1_048_576, 262_144);
  const timeoutMs = limited(member(buffering, 'timeoutMs'), 25, 30_000, 1000);
  if (maxItems === undefined || maxBytes === undefined || timeoutMs === undefined) return undefined;
  return { kinds, destination, maxItems, maxBytes, timeoutMs };
}

function parsed(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString());
  } catch {
    // Text that is not JSON is not a subscription, like any other invalid body.
    return undefined;
  }
}

function kindsOf(types: unknown): ReadonlySet<TelemetryKind> | undefined {
  if (!Array.isArray(types) || types.length === 0) return undefined;
  const kinds = new Set<TelemetryKind>();
  for (const type of types) {
    if (type !== 'platform' && type !== 'function' && type !== 'extension') return undefined;
    kinds.add(type);
  }
  return kinds;
}

/** Only the sandbox itself: a program must not make us post elsewhere. */
function destinationOf(given: unknown): URL | undefined {
  const address = member(given, 'URI');
  if (member(given, 'protocol') !== 'HTTP' || typeof address !== 'string') return undefined;
  const url = URL.parse(address);
  if (url?.protocol !== 'http:') return undefined;
  return url.hostname === 'sandbox.localdomain' || url.hostname === 'sandbox' ? url : undefined;
}

function limited(
  given: unknown,
  least: number,
  most: number,
  otherwise: number,
): number | undefined {
  if (given === undefined) return otherwise;
  return typeof given === 'number' && given >= least && given <= most ? given : undefined;
}

function member(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;
}
