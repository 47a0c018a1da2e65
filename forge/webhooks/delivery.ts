import type { DomainEvent } from '../model/domain-event.ts';

/** The delivery of an event to a webhook. */
export interface Delivery {
  readonly id: number;
  readonly webhookId: number;
  readonly event: string;
  readonly action: string | null;
  readonly domainEvent: DomainEvent;
  /** Of deliveries of Apps; null for other webhooks, and for the ping of an App. */
  readonly installationId: number | null;
  /** Of deliveries of Apps; null for other webhooks, which have one, and for events that are of no repository. */
  readonly repositoryId: number | null;
  /** Identifies the delivery for receivers; the same for redeliveries. undefined before the first attempt. */
  readonly guid: string | undefined;
  /** The JSON text that is sent; undefined before the first attempt. */
  readonly payload: string | undefined;
  /** The chain of requests that caused the event (platform/invocation-lineage.ts). */
  readonly lineage: string | undefined;
  readonly redelivery: boolean;
  /** Attempts that were counted before it was claimed: each is, right before it is sent. */
  readonly attempts: number;
}

/** A delivery that one server alone may attempt, until its claim expires and another claims it. */
export interface ClaimedDelivery extends Delivery {
  /** How often the delivery was claimed: a fencing token, because every later claim has a greater one. */
  readonly claims: number;
  /** Counted of it for what its webhook may store. */
  readonly bytes: number;
  /** The owner of its webhook when it was claimed. */
  readonly ownerId: number;
}

/** What lists show of a delivery: nothing that can be large. */
export interface DeliverySummary extends Pick<
  Delivery,
  'id' | 'guid' | 'event' | 'action' | 'installationId' | 'repositoryId' | 'redelivery'
> {
  readonly outcome: OutcomeSummary | undefined;
}

/** A delivery with its payload and the result of the last attempt. */
export interface DeliveryDetails
  extends DeliverySummary, Pick<Delivery, 'payload' | 'domainEvent'> {
  readonly outcome: DeliveryOutcome | undefined;
}

export interface OutcomeSummary {
  readonly at: number;
  readonly milliseconds: number;
  /** The HTTP status; 0 if there was no response. */
  readonly code: number;
  /** `OK`, the receiver's reason phrase, or why there was no response. */
  readonly status: string;
}

export interface DeliveryOutcome extends OutcomeSummary {
  readonly requestHeaders: Readonly<Record<string, string>>;
  readonly responseHeaders: Readonly<Record<string, string>>;
  readonly responseBody: string;
}

/** Delays between attempts; after the last attempt the delivery fails. */
export const retryDelays: readonly number[] = [5_000, 30_000, 3 * 60_000, 15 * 60_000];

/**
 * How far ahead an attempt may be due. No attempt is delayed for this long: a later due time was stored before the clock was
 * set back, so the delivery is due now. Otherwise it would wait until the clock has caught up.
 */
export const dueAheadMilliseconds = 20 * 60_000;

/** Whether the last attempt was started before. It has no outcome if the delivery is due nevertheless. */
export function isExhausted({ attempts }: Delivery): boolean {
  return attempts > retryDelays.length;
}

export function wasTaken({ code }: DeliveryOutcome): boolean {
  return code >= 200 && code < 300;
}

/**
 * How long a delivery waits whose attempt a failure of the database has interrupted: if it was sent, as after one that has failed; after
 * the last attempt not at all, since it is only recorded then. Else as after the first, so that what fails each time is not tried at each poll.
 */
export function pauseAfterInterruption({ attempts }: Delivery, isSent: boolean): number {
  return (isSent ? retryDelays[attempts] : retryDelays[0]) ?? 0;
}

/** The time of the next attempt after this one (counted from 1); null: no more attempts. */
export function nextAttempt(attempt: number, outcome: DeliveryOutcome): number | null {
  const delay = retryDelays[attempt - 1];
  return wasTaken(outcome) || delay === undefined ? null : outcome.at + delay;
}
