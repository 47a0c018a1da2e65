import { isAhead } from '#platform/clock.ts';
import type { SharedCounters } from '#platform/shared-counters.ts';

import { countInWindows } from '../http/shared-windows.ts';
import type { Declaration } from './endpoint.ts';

/** Limits of creating content quickly and of concurrent requests (docs/specification/forge.md 6.3). */
const creationWindows = [
  { seconds: 60, max: 80 },
  { seconds: 3600, max: 500 },
] as const;
/**
 * Concurrent requests of a caller (`HOB_ABUSE_LIMITS`); where servers of a cluster share counters, divided by their number for
 * each.
 */
const inFlightMax = 100;
/** Windows of requests that create content in memory before ended ones are removed. */
const windowsMax = 100_000;

/** Operations that notify users although their method is not POST (docs/specification/forge.md 6.3). */
const notifying: ReadonlySet<string> = new Set(['pulls/merge', 'repos/add-collaborator']);

/**
 * Programs create these in large numbers and no user is notified: one context may have 1000 statuses (docs/specification/forge.md 6.4). Most
 * GraphQL documents are queries; the mutations of others are counted when they are known (graphql/answer-document.ts).
 */
const unnoticed =
  /^\/repos\/:owner\/:repo\/(?:git\/|statuses\/|deployments\/:deployment_id\/statuses$)|^\/graphql$/;

/** Limits bursts, in addition to the hourly rate limit. */
export interface AbuseLimits {
  /**
   * Counts a request that creates something; if there were too many, returns the seconds to wait and counts nothing. At once, unless
   * processes count together.
   */
  create(caller: string, now: number): number | undefined | Promise<number | undefined>;
  /** Counts a request as running and returns a function that ends it; undefined if the caller has too many running. */
  enter(caller: string): (() => void) | undefined;
}

interface Window {
  readonly end: number;
  used: number;
}

/** What the servers of a cluster count with. */
export interface SharedLimits {
  readonly counters: SharedCounters;
  /** How many servers take requests now, this one included. */
  readonly servers: () => number;
}

/**
 * In memory, like the rate limit, or shared between the servers of a cluster. Each server then allows its part of the concurrent requests:
 * a counter of them would stay too high for good where a server ends in the middle of some.
 */
export function createAbuseLimits(shared?: SharedLimits): AbuseLimits {
  const alone = createCreationWindows();
  const inFlight = new Map<string, number>();
  return {
    create(caller, now) {
      if (!shared) return alone(caller, now);
      return createTogether(shared.counters, caller, () => alone(caller, now));
    },
    enter(caller) {
      const before = inFlight.get(caller) ?? 0;
      if (before >= inFlightMaxOf(shared?.servers() ?? 1)) return undefined;
      inFlight.set(caller, before + 1);
      return () => {
        const left = (inFlight.get(caller) ?? 1) - 1;
        if (left === 0) inFlight.delete(caller);
        else inFlight.set(caller, left);
      };
    },
  };
}

/** The number is 0 until this node is registered. */
function inFlightMaxOf(servers: number): number {
  return Math.max(1, Math.floor(inFlightMax / Math.max(1, servers)));
}

async function createTogether(
  counters: SharedCounters,
  caller: string,
  createAlone: () => number | undefined,
): Promise<number | undefined> {
  const counted = await countInWindows(
    counters,
    creationWindows.map(({ seconds, max }) => ({
      key: `creation ${seconds} ${caller}`,
      milliseconds: seconds * 1000,
      max,
    })),
  );
  return counted ? counted.waitSeconds : createAlone();
}

function createCreationWindows(): (caller: string, now: number) => number | undefined {
  const windows = new Map<string, Window>();
  return (caller, now) => {
    if (windows.size > windowsMax) sweep(windows, now);
    const current = creationWindows.map(({ seconds, max }) => {
      const key = `${caller} ${seconds}`;
      const known = windows.get(key);
      const isCurrent = known && isAhead(known.end, now, seconds * 1000);
      const window = isCurrent ? known : { end: now + seconds * 1000, used: 0 };
      windows.set(key, window);
      return { window, full: window.used >= max };
    });
    const ends = current.filter(({ full }) => full).map(({ window }) => window.end);
    if (ends.length > 0) return Math.ceil((Math.max(...ends) - now) / 1000);
    for (const { window } of current) window.used += 1;
    return undefined;
  };
}

export function createsContent({ method, operation, path }: Declaration): boolean {
  return (method === 'POST' && !unnoticed.test(path)) || notifying.has(operation);
}

function sweep(windows: Map<string, Window>, now: number): void {
  for (const [key, window] of windows) if (window.end <= now) windows.delete(key);
}
