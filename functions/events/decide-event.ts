import { eventAgeSecondsMax, eventRetriesMax } from '#functions-contract/limits.ts';

import {
  type EventHandling,
  type StoredEvent,
  delayAfter,
  retryAfter,
  type EventTimings,
} from './event.ts';

/** The outcome of an attempt at an event. */
export type EventAttempt =
  | { readonly kind: 'ran'; readonly result: EventResult }
  /** The function was not run, but may be later. */
  | { readonly kind: 'not-run'; readonly refusal: EventRefusal }
  /** It must not be run at all. */
  | {
      readonly kind: 'blocked';
      readonly condition: 'ZeroReservedConcurrency' | 'RecursiveInvocation';
      readonly refusal: EventRefusal;
    };

export interface EventResult {
  readonly failed: boolean;
  readonly payload: Uint8Array;
  /** `$LATEST` or a number. */
  readonly version: string;
  /** The trace header of the function's requests. */
  readonly traceHeader: string;
}

export interface EventRefusal {
  /** The HTTP status that reports it. */
  readonly status: number;
  readonly message: string;
}

/** How an event ended, as reported to destinations. */
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
  | { readonly kind: 'finished'; readonly condition: Condition; readonly attempts: number };

/**
 * Decides what happens to an event: failures of the function are retried a limited number of times, failures to run it until the
 * event is too old.
 */
export function decideEvent(
  event: Pick<StoredEvent, 'acceptedAt' | 'attempts' | 'delays'>,
  attempt: EventAttempt,
  handling: EventHandling,
  timings: EventTimings,
  now: number,
): Decision {
  const { attempts, delays } = event;
  switch (attempt.kind) {
    case 'blocked':
      return { kind: 'finished', condition: attempt.condition, attempts };
    case 'not-run':
      return inTime({ attempts, delays: delays + 1, at: now + delayAfter(timings, delays) });
    case 'ran': {
      const ran = attempts + 1;
      if (!attempt.result.failed) return { kind: 'finished', condition: 'Success', attempts: ran };
      return ran > (handling.retryAttemptsMax ?? eventRetriesMax)
        ? { kind: 'finished', condition: 'RetriesExhausted', attempts: ran }
        : inTime({ attempts: ran, delays: 0, at: now + retryAfter(timings, ran) });
    }
  }

  function inTime(next: { at: number; attempts: number; delays: number }): Decision {
    return isTooOld(event, handling, next.at)
      ? { kind: 'finished', condition: 'EventAgeExceeded', attempts: next.attempts }
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
