import type { Caller } from '../access/caller.ts';
import type { ForgeSettings } from '../settings.ts';

const windowMilliseconds = 3_600_000;
/** Ended windows are swept when there are more than this. */
const windowsMax = 100_000;

/** One caller's budget for the hour that began with its first request (spec, Limits). */
export interface RateWindow {
  readonly key: string;
  readonly limit: number;
  used: number;
  /** Seconds since the epoch. */
  readonly reset: number;
}

export interface RateLimiter {
  /** The caller's window now, without counting anything. */
  window(caller: Caller, address: string, now: number): RateWindow;
}

/** Budgets in memory, which is exact while one process serves. All tokens of a user share the user's. */
export function createRateLimiter(settings: ForgeSettings): RateLimiter {
  const windows = new Map<string, RateWindow>();
  return {
    window(caller, address, now) {
      const { key, limit } = budgetOf(caller, address, settings);
      const current = windows.get(key);
      if (current && current.reset * 1000 > now) return current;
      if (windows.size >= windowsMax) sweep(windows, now);
      const fresh = { key, limit, used: 0, reset: Math.ceil((now + windowMilliseconds) / 1000) };
      windows.set(key, fresh);
      return fresh;
    },
  };
}

/** Counts a request, or says that the budget is used up. */
export function charge(window: RateWindow): boolean {
  if (window.used >= window.limit) return false;
  window.used += 1;
  return true;
}

/** Gives a request back: conditional requests answered with 304 are not counted (spec, Limits). */
export function refund(window: RateWindow): void {
  if (window.used > 0) window.used -= 1;
}

/** A budget as `GET /rate_limit` shows it: `used` and `remaining` make up `limit`. */
export function representRate(window: Omit<RateWindow, 'key'>): { [member: string]: number } {
  const { limit, used, reset } = window;
  return { limit, used, remaining: limit - used, reset };
}

/** As header names and values in turn. */
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
    'core',
  ];
}

/** Who the message about a used-up budget names. */
export function budgetOwner(caller: Caller, address: string): string {
  switch (caller.kind) {
    case 'user':
      return `user ID ${caller.account.id}`;
    case 'application':
      return `application ID ${caller.applicationId}`;
    case 'anonymous':
      return address;
  }
}

function budgetOf(
  caller: Caller,
  address: string,
  settings: ForgeSettings,
): { key: string; limit: number } {
  switch (caller.kind) {
    case 'user':
      return { key: `user ${caller.account.id}`, limit: settings.rateLimitUser };
    case 'application':
      return { key: `application ${caller.applicationId}`, limit: settings.rateLimitApplication };
    case 'anonymous':
      return { key: `address ${address}`, limit: settings.rateLimitAnonymous };
  }
}

function sweep(windows: Map<string, RateWindow>, now: number): void {
  for (const [key, window] of windows) {
    if (window.reset * 1000 <= now) windows.delete(key);
  }
}
