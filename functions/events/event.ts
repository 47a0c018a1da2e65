import type { Claim } from './claim-store.ts';

/** An accepted event of an asynchronous invocation. */
export interface AcceptedEvent {
  readonly functionId: number;
  /** The same at every attempt. */
  readonly requestId: string;
  /** Version or alias, as invoked. */
  readonly qualifier: string | undefined;
  /** JSON text. */
  readonly payload: string;
  /** JSON text. */
  readonly clientContext: string | undefined;
  readonly tenantId: string | undefined;
  /** As the caller sent it. */
  readonly traceHeader: string | undefined;
}

/** An event that this server has claimed. */
export interface StoredEvent extends AcceptedEvent, Claim {
  readonly functionName: string;
  /** Epoch milliseconds. */
  readonly acceptedAt: number;
  /** Times that the function ran and failed. */
  readonly attempts: number;
  /** Consecutive times that it could not be run at all. */
  readonly delays: number;
}

/** How the events of a function are handled; undefined members have the default. */
export interface EventHandling {
  readonly retryAttemptsMax: number | undefined;
  readonly ageSecondsMax: number | undefined;
  /** ARNs. */
  readonly onSuccess: string | undefined;
  readonly onFailure: string | undefined;
}

export const usualHandling: EventHandling = {
  retryAttemptsMax: undefined,
  ageSecondsMax: undefined,
  onSuccess: undefined,
  onFailure: undefined,
};
