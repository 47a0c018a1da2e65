import { eventAgeSecondsMax, eventRetriesMax } from '#functions-contract/limits.ts';

import type { EventHandling, StoredEvent } from './event.ts';
import { delayAfter, retryAfter, type EventTimings } from './event-timings.ts';

/** What an attempt at an event came to. */
export type Attempt =
  | { readonly kind: 'ran'; readonly result: Result }
  /** The function was not run; later it may be. */
  | { readonly kind: 'not-run'; readonly refusal: EventRefusal }
  /** It is not to be run at all. */
  | {
      readonly kind: 'blocked';
      readonly condition: 'ZeroReservedConcurrency' | 'RecursiveInvocation';
      readonly refusal: EventRefusal;
    };

export interface Result {
  readonly failed: boolean;
  readonly payload: Uint8Array;
  /** `$LATEST` or a number. */
  readonly version: string;
  /** What the function's requests carried. */
  readonly traceHeader: string;
}

export interface EventRefusal {
  /** HTTP status that tells of it. */
  readonly status: number;
  readonly message: string;
}

/** How an event ended, as destinations are told. */
export type Condition =
  | 'Success'
  | 'RetriesExhausted'
  | 'EventAgeExceeded'
  | 'ZeroReservedConcurrency'
  | 'RecursiveInvocation';

export type Decision =
  | {
      readonly kind: 'again';
      readonly at: number;
      readonly attempts: number;
      readonly delays: number;
    }
  /** `attempts` counts the last one. */
  | { readonly kind: 'settled'; readonly condition: Condition; readonly attempts: number };

/**
 * What becomes of an event: the function's own failures are tried again so often, what kept it from running is tried until the
 * event is too old.
 */
export function decideEvent(
  event: Pick<StoredEvent, 'acceptedAt' | 'attempts' | 'delays'>,
  attempt: Attempt,
  handling: EventHandling,
  timings: EventTimings,
  now: number,
): Decision {
  const { attempts, delays } = event;
  switch (attempt.kind) {
    case 'blocked':
      return { kind: 'settled', condition: attempt.condition, attempts };
    case 'not-run':
      return inTime({ attempts, delays: delays + 1, at: now + delayAfter(timings, delays) });
    case 'ran': {
      const ran = attempts + 1;
      if (!attempt.result.failed) return { kind: 'settled', condition: 'Success', attempts: ran };
      return ran > (handling.retryAttemptsMax ?? eventRetriesMax)
        ? { kind: 'settled', condition: 'RetriesExhausted', attempts: ran }
        : inTime({ attempts: ran, delays: 0, at: now + retryAfter(timings, ran) });
    }
  }

  function inTime(next: { at: number; attempts: number; delays: number }): Decision {
    return isTooOld(event, handling, next.at)
      ? { kind: 'settled', condition: 'EventAgeExceeded', attempts: next.attempts }
      : { kind: 'again', ...next };
  }
}

export function isTooOld(
  { acceptedAt }: Pick<StoredEvent, 'acceptedAt'>,
  { ageSecondsMax = eventAgeSecondsMax }: EventHandling,
  at: number,
): boolean {
  return at - acceptedAt > ageSecondsMax * 1000;
}
