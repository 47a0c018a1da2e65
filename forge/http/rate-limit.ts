import { clientOf } from '#platform/client-address.ts';
import { isAhead } from '#platform/clock.ts';
import type { SharedCounters } from '#platform/shared-counters.ts';
import { inBackground } from '#platform/in-background.ts';

import type { Caller, UserCaller } from '../model/caller.ts';
import type { ForgeSettings } from '../ports/ports.ts';

const hour = 3_600_000;
const minute = 60_000;
/** Windows of rate limits in memory before ended ones are removed. */
const windowsMax = 100_000;

/** Requests that are counted apart, by the names of `GET /rate_limit`. */
export type RateResource = 'core' | 'search' | 'code_search' | 'graphql';

/** One caller's rate limit for the hour or minute that began with its first request (docs/specification/forge.md 6.1). */
export interface RateWindow {
  /** Of the caller, whatever the resource. */
  readonly key: string;
  readonly resource: RateResource;
  readonly limit: number;
  used: number;
  /** Seconds since the epoch. */
  readonly reset: number;
  /** Decrements the counter that several processes share. */
  readonly giveBack?: () => void;
  /** Increments it. */
  readonly take?: (more: number) => void;
}

/** A window, and whether the request was within its limit. */
export interface RateDecision {
  readonly window: RateWindow;
  readonly allowed: boolean;
}

export interface RateLimiter {
  /** Counts a request, or nothing with a cost of 0; at once, unless processes count together. */
  count(
    caller: Caller,
    address: string,
    now: number,
    cost: 0 | 1,
    resource?: RateResource,
  ): RateDecision | Promise<RateDecision>;
}

/**
 * All tokens of a user share the user's limit. Counters are in memory, which is exact for a single process, or shared
 * between processes. If the shared counters are unavailable, each process counts for itself, because a failure of the limit
 * must not refuse every request.
 */
export function createRateLimiter(
  settings: ForgeSettings,
  counters: SharedCounters | undefined,
): RateLimiter {
  const alone = createWindows();
  return {
    count(caller, address, now, cost, resource = 'core') {
      const rate = rateOf(caller, address, settings, resource);
      if (!counters) return alone(rate, now, cost);
      return countTogether(counters, rate, now, cost, () => alone(rate, now, cost));
    },
  };
}

/** Refunds a request: conditional requests answered with 304 do not count (docs/specification/forge.md 5.3). */
export function refund(window: RateWindow): void {
  if (window.used === 0) return;
  window.used -= 1;
  window.giveBack?.();
}

/** Counts what a request costs in addition to itself. It is never refused for it: the next one is. */
export function charge(window: RateWindow, more: number): void {
  if (more <= 0) return;
  window.used = Math.min(window.used + more, window.limit);
  window.take?.(more);
}

interface Rate {
  readonly key: string;
  readonly limit: number;
  readonly resource: RateResource;
  readonly milliseconds: number;
}

function nameOf({ key, resource }: Pick<Rate, 'key' | 'resource'>): string {
  return resource === 'core' ? key : `${resource} ${key}`;
}

function createWindows(): (rate: Rate, now: number, cost: 0 | 1) => RateDecision {
  const windows = new Map<string, RateWindow>();
  const windowOf = ({ milliseconds, ...rate }: Rate, now: number): RateWindow => {
    const name = nameOf(rate);
    const current = windows.get(name);
    // The end is rounded up to a second.
    if (current && isAhead(current.reset * 1000, now, milliseconds + 1000)) return current;
    if (windows.size >= windowsMax) sweep(windows, now);
    const fresh = { ...rate, used: 0, reset: Math.ceil((now + milliseconds) / 1000) };
    windows.set(name, fresh);
    return fresh;
  };
  return (rate, now, cost) => {
    const window = windowOf(rate, now);
    if (cost === 1 && window.used >= window.limit) return { window, allowed: false };
    window.used += cost;
    return { window, allowed: true };
  };
}

async function countTogether(
  counters: SharedCounters,
  rate: Rate,
  now: number,
  cost: 0 | 1,
  countAlone: () => RateDecision,
): Promise<RateDecision> {
  const { key, limit, resource, milliseconds } = rate;
  const name = `rate ${nameOf(rate)}`;
  const counted = await counters.add(name, cost, milliseconds);
  if (!counted) return countAlone();
  const giveBack = (): void => inBackground(counters.add(name, -1, milliseconds));
  const take = (more: number): void => inBackground(counters.add(name, more, milliseconds));
  const allowed = cost === 0 || counted.sum <= limit;
  if (!allowed) giveBack();
  const used = Math.min(Math.max(counted.sum, 0), limit);
  // Counters end with a second of their server's clock (platform/redis/redis-counters.ts); it is nearly ours.
  const reset = Math.round((now + counted.leftMilliseconds) / 1000);
  return { window: { key, limit, resource, used, reset, giveBack, take }, allowed };
}

/** A limit as in `GET /rate_limit`: `used` and `remaining` add up to `limit`. */
export function representRate(window: Pick<RateWindow, 'limit' | 'used' | 'reset'>): {
  [field: string]: number;
} {
  const { limit, used, reset } = window;
  return { limit, used, remaining: limit - used, reset };
}

/** Alternating header names and values. */
export function rateHeaders(window: RateWindow): string[] {
  return [
    'x-ratelimit-limit',
    String(window.limit),
    'x-ratelimit-remaining',
    String(window.limit - window.used),
    'x-ratelimit-reset',
    String(window.reset),
    'x-ratelimit-used',
    String(window.used),
    'x-ratelimit-resource',
    window.resource,
  ];
}

/** The caller named in the message about an exceeded limit. */
export function rateOwner(caller: Caller, address: string): string {
  switch (caller.kind) {
    case 'user':
      return caller.installation
        ? `installation ID ${caller.installation.installationId}`
        : `user ID ${caller.account.id}`;
    case 'app':
      return `app ID ${caller.app.id}`;
    case 'application':
      return `application ID ${caller.applicationId}`;
    case 'anonymous':
      return address;
  }
}

/** What a user is counted by, with whatever credential. Each installation of an App has limits of its own. */
export function userRateKey({ account, installation }: UserCaller): string {
  return installation ? `installation ${installation.installationId}` : `user ${account.id}`;
}

function rateOf(
  caller: Caller,
  address: string,
  settings: ForgeSettings,
  resource: RateResource,
): Rate {
  const { key, limit } = callerRate(caller, address, settings);
  switch (resource) {
    case 'core':
    case 'graphql':
      return { key, limit, resource, milliseconds: hour };
    case 'search':
    case 'code_search': {
      const whole = resource === 'search' && caller.kind !== 'anonymous';
      const most = whole ? settings.rateLimitSearch : Math.ceil(settings.rateLimitSearch / 3);
      return { key, limit: most, resource, milliseconds: minute };
    }
  }
}

function callerRate(
  caller: Caller,
  address: string,
  settings: ForgeSettings,
): Pick<Rate, 'key' | 'limit'> {
  switch (caller.kind) {
    case 'user':
      return { key: userRateKey(caller), limit: settings.rateLimitUser };
    case 'app':
      return { key: `app ${caller.app.id}`, limit: settings.rateLimitApplication };
    case 'application':
      return { key: `application ${caller.applicationId}`, limit: settings.rateLimitApplication };
    case 'anonymous':
      return { key: `address ${clientOf(address)}`, limit: settings.rateLimitAnonymous };
  }
}

function sweep(windows: Map<string, RateWindow>, now: number): void {
  for (const [key, window] of windows) {
    if (window.reset * 1000 <= now) windows.delete(key);
  }
}
