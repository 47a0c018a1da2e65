import { queuedEventBytesMax, queuedEventsMax } from '#functions-contract/limits.ts';
import type { Database } from '#platform/database/database.ts';
import type { Random } from '#platform/random.ts';

import type { ConfiguredResources } from '../configured-resources/configured-resources.ts';
import { FunctionsError } from '../errors/functions-error.ts';
import type { RunPorts } from '../invocation/run-function.ts';
import type { AccountRegion } from '../model/function-name.ts';
import type { HomeNodes } from '../ports/home-nodes.ts';
import type { QueueClaim } from './event-store.ts';
import type { PollingWorker } from '#platform/polling-worker.ts';

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
export interface StoredEvent extends AcceptedEvent, QueueClaim {
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

/** AWS answers so when more events come than it accepts; its queues have no documented size. */
export function queueFull(): FunctionsError {
  return new FunctionsError(
    'TooManyRequestsException',
    `Rate Exceeded. Asynchronous events of the function wait already: ${queuedEventsMax} of them or ${queuedEventBytesMax} bytes are the maximum.`,
    { reason: 'FunctionInvocationRateLimitExceeded', retryAfterSeconds: 10 },
  );
}

/** The delays of retries. */
export interface EventTimings {
  /** After the first failure of the function, after the second. */
  readonly retryMilliseconds: readonly number[];
  /** After the first time that an event could not be run, or a message not be delivered; doubled each time. */
  readonly delayMilliseconds: number;
}

/** Pause before an event that could not be run, or a message not be handed over, is tried again; doubled each time. */
export const usualTimings: EventTimings = {
  retryMilliseconds: [60_000, 120_000],
  delayMilliseconds: 1000,
};

/** Pause between two tries of what could not be run or handed over: a second, then twice as long each time, at most this. */
const delayMillisecondsMax = 5 * 60_000;

/** `count` attempts were made before. */
export function delayAfter({ delayMilliseconds }: EventTimings, count: number): number {
  return Math.min(delayMilliseconds * 2 ** Math.min(count, 30), delayMillisecondsMax);
}

export function retryAfter({ retryMilliseconds }: EventTimings, attempts: number): number {
  return retryMilliseconds[attempts - 1] ?? retryMilliseconds.at(-1) ?? 0;
}

/** What asynchronous invocation needs. */
export interface EventPorts extends RunPorts {
  readonly database: Database;
  readonly random: Random;
  /** Identifies the claims of this server. */
  readonly serverId: string;
  readonly settings: AccountRegion;
  readonly homes: HomeNodes;
  readonly configured: Pick<ConfiguredResources, 'targets' | 'refresh'>;
  readonly timings: EventTimings;
  /** Receives internal errors, and messages that could not be delivered. */
  readonly onError: (error: unknown) => void;
  /** Delivers the messages of the outbox. */
  readonly messages: Pick<PollingWorker, 'wake'>;
}
