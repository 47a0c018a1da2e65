/** The events of a durable execution's history. */
import {
  boolean,
  integer,
  optional,
  required,
  string,
  structure,
  text,
  timestamp,
} from '../shape.ts';
import { callbackId, errorObject, executionArn, payload } from './durable-operations.ts';

const truncated = optional(boolean, 'Whether the value was truncated.');
const input = structure({ Payload: optional(payload, 'The input.'), Truncated: truncated });
const result = structure({ Payload: optional(payload, 'The result.'), Truncated: truncated });
const error = structure({ Payload: optional(errorObject, 'The error.'), Truncated: truncated });

const seconds = integer({ min: 0 });
const succeeded = { Result: required(result, 'The result.') } as const;
const failed = { Error: required(error, 'The error.') } as const;
const mayFail = { Error: optional(error, 'The error.') } as const;
const retried = {
  RetryDetails: required(
    structure({
      CurrentAttempt: optional(integer({ min: 0 }), 'Number of the attempt.'),
      NextAttemptDelaySeconds: optional(seconds, 'Seconds until the next attempt.'),
    }),
    'Number and delay of the attempt.',
  ),
} as const;

const startedInvocation = structure({
  FunctionName: required(text, 'Name of the function.'),
  TenantId: optional(text, 'Tenant of the invocation.'),
  Input: optional(input, 'Input of the invocation.'),
  ExecutedVersion: optional(text, 'Version that is invoked.'),
  DurableExecutionArn: optional(executionArn, 'ARN of the durable execution that was invoked.'),
});

export const eventType = string({
  values: [
    'ExecutionStarted',
    'ExecutionSucceeded',
    'ExecutionFailed',
    'ExecutionTimedOut',
    'ExecutionStopped',
    'ContextStarted',
    'ContextSucceeded',
    'ContextFailed',
    'WaitStarted',
    'WaitSucceeded',
    'WaitCancelled',
    'StepStarted',
    'StepSucceeded',
    'StepFailed',
    'ChainedInvokeStarted',
    'ChainedInvokeSucceeded',
    'ChainedInvokeFailed',
    'ChainedInvokeTimedOut',
    'ChainedInvokeStopped',
    'CallbackStarted',
    'CallbackSucceeded',
    'CallbackFailed',
    'CallbackTimedOut',
    'InvocationCompleted',
  ],
});

const details = {
  ExecutionStartedDetails: structure({
    Input: required(input, 'The event.'),
    ExecutionTimeout: required(seconds, 'Timeout of the execution, in seconds.'),
  }),
  ExecutionSucceededDetails: structure(succeeded),
  ExecutionFailedDetails: structure(failed),
  ExecutionTimedOutDetails: structure(mayFail),
  ExecutionStoppedDetails: structure(failed),
  ContextStartedDetails: structure({}),
  ContextSucceededDetails: structure(succeeded),
  ContextFailedDetails: structure(failed),
  WaitStartedDetails: structure({
    Duration: required(seconds, 'Seconds to wait.'),
    ScheduledEndTimestamp: required(timestamp, 'Time at which the wait ends.'),
  }),
  WaitSucceededDetails: structure({ Duration: optional(seconds, 'Seconds waited.') }),
  WaitCancelledDetails: structure(mayFail),
  StepStartedDetails: structure({}),
  StepSucceededDetails: structure({ ...succeeded, ...retried }),
  StepFailedDetails: structure({ ...failed, ...retried }),
  ChainedInvokeStartedDetails: startedInvocation,
  ChainedInvokeSucceededDetails: structure(succeeded),
  ChainedInvokeFailedDetails: structure(failed),
  ChainedInvokeTimedOutDetails: structure(failed),
  ChainedInvokeStoppedDetails: structure(failed),
  CallbackStartedDetails: structure({
    CallbackId: required(callbackId, 'Id for completing the callback.'),
    HeartbeatTimeout: optional(seconds, 'Maximum seconds between heartbeats.'),
    Timeout: optional(seconds, 'Seconds until the callback times out.'),
  }),
  CallbackSucceededDetails: structure(succeeded),
  CallbackFailedDetails: structure(failed),
  CallbackTimedOutDetails: structure(failed),
  InvocationCompletedDetails: structure({
    StartTimestamp: required(timestamp, 'Time at which the invocation started.'),
    EndTimestamp: required(timestamp, 'Time at which the invocation ended.'),
    RequestId: required(text, 'Request id in the log.'),
    Error: optional(error, 'Error of an invocation that failed.'),
  }),
} as const;

const of = 'Present for events of this type.';

export const historyEvent = structure({
  EventType: optional(eventType, 'Type of the event.'),
  SubType: optional(text, 'Subtype of the operation, set by the program.'),
  EventId: optional(integer({ min: 1 }), 'Number of the event, starting at 1.'),
  Id: optional(text, 'Id of the operation.'),
  Name: optional(text, 'Name of the operation.'),
  EventTimestamp: optional(timestamp, 'Time of the event.'),
  ParentId: optional(text, 'Id of the context that contains the operation.'),
  ExecutionStartedDetails: optional(details.ExecutionStartedDetails, of),
  ExecutionSucceededDetails: optional(details.ExecutionSucceededDetails, of),
  ExecutionFailedDetails: optional(details.ExecutionFailedDetails, of),
  ExecutionTimedOutDetails: optional(details.ExecutionTimedOutDetails, of),
  ExecutionStoppedDetails: optional(details.ExecutionStoppedDetails, of),
  ContextStartedDetails: optional(details.ContextStartedDetails, of),
  ContextSucceededDetails: optional(details.ContextSucceededDetails, of),
  ContextFailedDetails: optional(details.ContextFailedDetails, of),
  WaitStartedDetails: optional(details.WaitStartedDetails, of),
  WaitSucceededDetails: optional(details.WaitSucceededDetails, of),
  WaitCancelledDetails: optional(details.WaitCancelledDetails, of),
  StepStartedDetails: optional(details.StepStartedDetails, of),
  StepSucceededDetails: optional(details.StepSucceededDetails, of),
  StepFailedDetails: optional(details.StepFailedDetails, of),
  ChainedInvokeStartedDetails: optional(details.ChainedInvokeStartedDetails, of),
  ChainedInvokeSucceededDetails: optional(details.ChainedInvokeSucceededDetails, of),
  ChainedInvokeFailedDetails: optional(details.ChainedInvokeFailedDetails, of),
  ChainedInvokeTimedOutDetails: optional(details.ChainedInvokeTimedOutDetails, of),
  ChainedInvokeStoppedDetails: optional(details.ChainedInvokeStoppedDetails, of),
  CallbackStartedDetails: optional(details.CallbackStartedDetails, of),
  CallbackSucceededDetails: optional(details.CallbackSucceededDetails, of),
  CallbackFailedDetails: optional(details.CallbackFailedDetails, of),
  CallbackTimedOutDetails: optional(details.CallbackTimedOutDetails, of),
  InvocationCompletedDetails: optional(details.InvocationCompletedDetails, of),
});
