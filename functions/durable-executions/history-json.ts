import type { historyEvent } from '#functions-contract/shapes/durable-history.ts';
import type { StructureOf } from '#functions-contract/shape.ts';

import type { HistoryEvent } from './history-event.ts';
import type { NumberedEvent } from './history-store.ts';
import { wireSeconds } from './operation-json.ts';

type Represented = StructureOf<typeof historyEvent>;

/** An event as the API reports it, with or without inputs and results. */
export function representEvent({ number, event }: NumberedEvent, withData: boolean): Represented {
  const { type, at, operation } = event;
  return {
    EventType: type,
    EventId: number,
    EventTimestamp: wireSeconds(at),
    ...(operation
      ? {
          Id: operation.id,
          ...(operation.name === undefined ? {} : { Name: operation.name }),
          ...(operation.subType === undefined ? {} : { SubType: operation.subType }),
          ...(operation.parentId === undefined ? {} : { ParentId: operation.parentId }),
        }
      : {}),
    ...detailsOf(event, withData),
  };
}

function detailsOf(event: HistoryEvent, withData: boolean): Represented {
  const { seconds = 0, startedAt = event.at } = event;
  const data = <P>(payload: P | undefined): { Payload?: P; Truncated?: boolean } =>
    withData && payload !== undefined ? { Payload: payload, Truncated: false } : {};
  const Result = data(event.result);
  const Error = data(event.error);
  const Input = data(event.input);
  switch (event.type) {
    case 'ExecutionStarted':
      return { ExecutionStartedDetails: { Input, ExecutionTimeout: seconds } };
    case 'ExecutionSucceeded':
      return { ExecutionSucceededDetails: { Result } };
    case 'ExecutionFailed':
      return { ExecutionFailedDetails: { Error } };
    case 'ExecutionTimedOut':
      return { ExecutionTimedOutDetails: { Error } };
    case 'ExecutionStopped':
      return { ExecutionStoppedDetails: { Error } };
    case 'ContextStarted':
      return { ContextStartedDetails: {} };
    case 'ContextSucceeded':
      return { ContextSucceededDetails: { Result } };
    case 'ContextFailed':
      return { ContextFailedDetails: { Error } };
    case 'WaitStarted': {
      const ScheduledEndTimestamp = wireSeconds(event.endsAt ?? event.at);
      return { WaitStartedDetails: { Duration: seconds, ScheduledEndTimestamp } };
    }
    case 'WaitSucceeded':
      return { WaitSucceededDetails: { Duration: seconds } };
    case 'WaitCancelled':
      return { WaitCancelledDetails: event.error ? { Error } : {} };
    case 'StepStarted':
      return { StepStartedDetails: {} };
    case 'StepSucceeded':
      return { StepSucceededDetails: { Result, RetryDetails: retryOf(event) } };
    case 'StepFailed':
      return { StepFailedDetails: { Error, RetryDetails: retryOf(event) } };
    case 'ChainedInvokeStarted': {
      const { functionName: FunctionName = '', tenantId: TenantId } = event;
      const tenant = TenantId === undefined ? {} : { TenantId };
      return { ChainedInvokeStartedDetails: { FunctionName, ...tenant, Input } };
    }
    case 'ChainedInvokeSucceeded':
      return { ChainedInvokeSucceededDetails: { Result } };
    case 'ChainedInvokeFailed':
      return { ChainedInvokeFailedDetails: { Error } };
    case 'ChainedInvokeTimedOut':
      return { ChainedInvokeTimedOutDetails: { Error } };
    case 'ChainedInvokeStopped':
      return { ChainedInvokeStoppedDetails: { Error } };
    case 'CallbackStarted':
      return { CallbackStartedDetails: callbackOf(event) };
    case 'CallbackSucceeded':
      return { CallbackSucceededDetails: { Result } };
    case 'CallbackFailed':
      return { CallbackFailedDetails: { Error } };
    case 'CallbackTimedOut':
      return { CallbackTimedOutDetails: { Error } };
    case 'InvocationCompleted': {
      const StartTimestamp = wireSeconds(startedAt);
      const EndTimestamp = wireSeconds(event.at);
      const run = { StartTimestamp, EndTimestamp, RequestId: event.requestId ?? '' };
      return { InvocationCompletedDetails: event.error ? { ...run, Error } : run };
    }
  }
}

function retryOf({ attempt = 1, delaySeconds }: HistoryEvent): {
  CurrentAttempt: number;
  NextAttemptDelaySeconds?: number;
} {
  return delaySeconds === undefined
    ? { CurrentAttempt: attempt }
    : { CurrentAttempt: attempt, NextAttemptDelaySeconds: delaySeconds };
}

function callbackOf({ callbackId = '', seconds, heartbeatSeconds }: HistoryEvent): {
  CallbackId: string;
  Timeout?: number;
  HeartbeatTimeout?: number;
} {
  return {
    CallbackId: callbackId,
    ...(seconds === undefined ? {} : { Timeout: seconds }),
    ...(heartbeatSeconds === undefined ? {} : { HeartbeatTimeout: heartbeatSeconds }),
  };
}
