import type { Declaration } from './endpoint.ts';

/** Figures of the spec's "rapid content creation" and "concurrent requests" (spec, Limits). */
const creationWindows = [
  { seconds: 60, max: 80 },
  { seconds: 3600, max: 500 },
] as const;
const inFlightMax = 100;
/** Ended windows are swept when there are more than this. */
const windowsMax = 100_000;

/** Operations that notify others although they are no POST (spec, Limits: "creating and merging"). */
const notifying: ReadonlySet<string> = new Set(['pulls/merge', 'repos/add-collaborator']);

/** Machines make these in numbers, and nobody is notified: a context alone may have 1000 statuses (spec, Limits). */
const unnoticed = /^\/repos\/:owner\/:repo\/(?:git|statuses)\//;

/** Slows bursts down, beside the hourly budgets. */
export interface AbuseLimits {
  /** Counts a request that creates something; the seconds to wait when there were too many, and then counts nothing. */
  create(userId: number, now: number): number | undefined;
  /** Counts a request that begins; undefined: the caller has too many under way. The result ends it. */
  enter(caller: string): (() => void) | undefined;
}

interface Window {
  readonly end: number;
  used: number;
}

/** In memory, as the budgets are. */
export function createAbuseLimits(): AbuseLimits {
  const windows = new Map<string, Window>();
  const inFlight = new Map<string, number>();
  return {
    create(userId, now) {
      if (windows.size > windowsMax) sweep(windows, now);
      const current = creationWindows.map(({ seconds, max }) => {
        const key = `${userId} ${seconds}`;
        const known = windows.get(key);
        const window = known && known.end > now ? known : { end: now + seconds * 1000, used: 0 };
        windows.set(key, window);
        return { window, full: window.used >= max };
      });
      const ends = current.filter(({ full }) => full).map(({ window }) => window.end);
      if (ends.length > 0) return Math.ceil((Math.max(...ends) - now) / 1000);
      for (const { window } of current) window.used += 1;
      return undefined;
    },
    enter(caller) {
      const before = inFlight.get(caller) ?? 0;
      if (before >= inFlightMax) return undefined;
      inFlight.set(caller, before + 1);
      return () => {
        const left = (inFlight.get(caller) ?? 1) - 1;
        if (left === 0) inFlight.delete(caller);
        else inFlight.set(caller, left);
      };
    },
  };
}

export function createsContent({ method, operation, path }: Declaration): boolean {
  return (method === 'POST' && !unnoticed.test(path)) || notifying.has(operation);
}

function sweep(windows: Map<string, Window>, now: number): void {
  for (const [key, window] of windows) if (window.end <= now) windows.delete(key);
}
