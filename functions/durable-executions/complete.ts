import type { Changed } from './apply-update.ts';
import { eventOf, type EventType } from './history-event.ts';
import type { DurableOperation, ErrorObject } from './operation.ts';

type Callback = Extract<DurableOperation, { type: 'CALLBACK' }>;
type Chained = Extract<DurableOperation, { type: 'CHAINED_INVOKE' }>;

/** The outcome of an operation that is completed from outside the execution. */
export type Ending =
  | { readonly status: 'SUCCEEDED'; readonly result?: string }
  | { readonly status: 'FAILED' | 'TIMED_OUT' | 'STOPPED'; readonly error: ErrorObject };

/** Completes a callback, or a chained invocation. */
export function complete(operation: Callback | Chained, ending: Ending, now: number): Changed {
  const { status, ...left } = ending;
  return {
    operation: { ...operation, ...left, status, endedAt: now },
    events: [eventOf(typeOf(operation.type, status), operation, now, left)],
  };
}

function typeOf(type: 'CALLBACK' | 'CHAINED_INVOKE', status: Ending['status']): EventType {
  const isCallback = type === 'CALLBACK';
  switch (status) {
    case 'SUCCEEDED':
      return isCallback ? 'CallbackSucceeded' : 'ChainedInvokeSucceeded';
    case 'TIMED_OUT':
      return isCallback ? 'CallbackTimedOut' : 'ChainedInvokeTimedOut';
    case 'STOPPED':
      return isCallback ? 'CallbackFailed' : 'ChainedInvokeStopped';
    case 'FAILED':
      return isCallback ? 'CallbackFailed' : 'ChainedInvokeFailed';
  }
}

/** Restarts the heartbeat timeout of a callback. */
export function heartbeat(callback: Callback, now: number): Callback {
  const { heartbeatSeconds } = callback;
  return heartbeatSeconds === undefined
    ? callback
    : { ...callback, heartbeatDueAt: now + heartbeatSeconds * 1000 };
}
