import { present } from '#platform/present.ts';

import type { StructureOf } from '#functions-contract/shape.ts';
import type { historyEvent } from '#functions-contract/shapes/durable-history.ts';
import type { durableOperation } from '#functions-contract/shapes/durable-operations.ts';

import type { Execution } from './execution.ts';
import type { NumberedEvent } from './history-store.ts';
import type { HistoryEvent, DurableOperation } from './operation.ts';

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
          ...present({
            Name: operation.name,
            SubType: operation.subType,
            ParentId: operation.parentId,
          }),
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
    ...present({ Timeout: seconds, HeartbeatTimeout: heartbeatSeconds }),
  };
}

type RepresentedOperation = StructureOf<typeof durableOperation>;

/** Epoch seconds, as in responses. */
export function wireSeconds(milliseconds: number): number {
  return milliseconds / 1000;
}

/** An operation as in responses; the event of a run has other timestamps. */
export function representOperation(operation: DurableOperation): RepresentedOperation {
  return operationWith(operation, wireSeconds);
}

/** In the event of a run, timestamps are text. */
export function operationForProgram(operation: DurableOperation): object {
  return operationWith<string>(operation, isoTime);
}

/** The execution is the first of its own operations, and contains its input. */
export function representItself(execution: Execution, input: string): RepresentedOperation {
  return itselfWith(execution, input, wireSeconds);
}

export function itselfForProgram(execution: Execution, input: string): object {
  return itselfWith<string>(execution, input, isoTime);
}

function isoTime(milliseconds: number): string {
  return new Date(milliseconds).toISOString();
}

type Time<T> = (milliseconds: number) => T;

function itselfWith<T>({ key, name, startedAt }: Execution, input: string, time: Time<T>) {
  return {
    Id: key,
    Name: name,
    Type: 'EXECUTION' as const,
    StartTimestamp: time(startedAt),
    Status: 'STARTED' as const,
    ExecutionDetails: { InputPayload: input },
  };
}

function operationWith<T>(operation: DurableOperation, time: Time<T>) {
  const { id, parentId, name, type, subType, startedAt, endedAt, status } = operation;
  return {
    Id: id,
    ...present({ ParentId: parentId, Name: name }),
    Type: type,
    ...present({ SubType: subType }),
    StartTimestamp: time(startedAt),
    ...(endedAt === undefined ? {} : { EndTimestamp: time(endedAt) }),
    Status: status,
    ...detailsWith(operation, time),
  };
}

function detailsWith<T>(operation: DurableOperation, time: Time<T>) {
  const { result, error } = operation;
  const outcome = {
    ...present({ Result: result, Error: error }),
  };
  switch (operation.type) {
    case 'CONTEXT':
      return {
        ContextDetails: {
          ...(operation.replayChildren ? { ReplayChildren: true } : {}),
          ...outcome,
        },
      };
    case 'STEP': {
      const { attempt, nextAttemptAt } = operation;
      const next = nextAttemptAt === undefined ? {} : { NextAttemptTimestamp: time(nextAttemptAt) };
      return { StepDetails: { Attempt: attempt, ...next, ...outcome } };
    }
    case 'WAIT':
      return { WaitDetails: { ScheduledEndTimestamp: time(operation.endsAt) } };
    case 'CALLBACK':
      return { CallbackDetails: { CallbackId: operation.callbackId, ...outcome } };
    case 'CHAINED_INVOKE':
      return { ChainedInvokeDetails: outcome };
  }
}
