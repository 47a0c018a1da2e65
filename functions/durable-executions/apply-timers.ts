import type { Changed } from './apply-update.ts';
import { eventOf } from './history-event.ts';
import { dueAt, type DurableOperation, type ErrorObject } from './operation.ts';

/** Applies an operation's timer; undefined when it is not due yet. */
export function elapse(operation: DurableOperation, now: number): Changed | undefined {
  const due = dueAt(operation);
  if (due === undefined || due > now) return undefined;
  switch (operation.type) {
    case 'WAIT': {
      const { seconds } = operation;
      return {
        operation: { ...operation, status: 'SUCCEEDED', endedAt: now },
        events: [eventOf('WaitSucceeded', operation, now, { seconds })],
      };
    }
    case 'STEP':
      return { operation: { ...operation, status: 'READY' }, events: [] };
    case 'CALLBACK': {
      const error = operation.timesOutAt === due ? timedOut : silent;
      return {
        operation: { ...operation, error, status: 'TIMED_OUT', endedAt: now },
        events: [eventOf('CallbackTimedOut', operation, now, { error })],
      };
    }
    case 'CHAINED_INVOKE':
    case 'CONTEXT':
      return undefined;
  }
}

const timedOut: ErrorObject = {
  ErrorType: 'Callback.Timeout',
  ErrorMessage: 'Callback timed out',
};

const silent: ErrorObject = {
  ErrorType: 'Callback.Heartbeat',
  ErrorMessage: 'Callback timed out on heartbeat',
};
