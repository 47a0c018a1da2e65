import type { DomainEvent } from '../model/domain-event.ts';

/** One thing one webhook is told of, with what the last attempt came to. */
export interface Delivery {
  readonly id: number;
  readonly webhookId: number;
  readonly event: string;
  readonly action: string | null;
  readonly domainEvent: DomainEvent;
  /** What receivers know it by: the same when it is delivered again. undefined before the first attempt. */
  readonly guid: string | undefined;
  /** The JSON text that is sent; undefined before the first attempt. */
  readonly payload: string | undefined;
  readonly redelivery: boolean;
  readonly attempts: number;
  /** Milliseconds since the epoch; null once the receiver took it or it was given up. */
  readonly dueAt: number | null;
  readonly outcome: Outcome | undefined;
}

export interface Outcome {
  readonly at: number;
  readonly milliseconds: number;
  /** 0 when there was no answer. */
  readonly code: number;
  /** `OK`, the receiver's own words, or why there was no answer. */
  readonly status: string;
  readonly requestHeaders: Readonly<Record<string, string>>;
  readonly responseHeaders: Readonly<Record<string, string>>;
  readonly responseBody: string;
}

/** How long after each failed attempt the next one comes; after the last it is given up. */
export const retryDelays: readonly number[] = [5_000, 30_000, 3 * 60_000, 15 * 60_000];

/**
 * No attempt is put off for so long: what is due later was stored before the clock was set back, and is due now. Otherwise it would
 * wait until the clock has caught up.
 */
export const dueAheadMilliseconds = 20 * 60_000;

export function wasTaken({ code }: Outcome): boolean {
  return code >= 200 && code < 300;
}

/** When to try again after the attempt of this number, counted from 1; null: no more. */
export function nextAttempt(attempt: number, outcome: Outcome): number | null {
  const delay = retryDelays[attempt - 1];
  return wasTaken(outcome) || delay === undefined ? null : outcome.at + delay;
}
