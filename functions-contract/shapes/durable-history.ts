/** What happened in a durable execution, as its history tells it. */
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

const truncated = optional(boolean, 'Whether it was cut off.');
const input = structure({ Payload: optional(payload, 'The input.'), Truncated: truncated });
const result = structure({ Payload: optional(payload, 'The result.'), Truncated: truncated });
const error = structure({ Payload: optional(errorObject, 'The error.'), Truncated: truncated });

const seconds = integer({ min: 0 });
const succeeded = { Result: required(result, 'What came of it.') } as const;
const failed = { Error: required(error, 'Why.') } as const;
const mayFail = { Error: optional(error, 'Why.') } as const;
const retried = {
  RetryDetails: required(
    structure({
      CurrentAttempt: optional(integer({ min: 0 }), 'Number of the attempt.'),
      NextAttemptDelaySeconds: optional(seconds, 'Seconds until the next one.'),
    }),
    'Which attempt it was.',
  ),
} as const;

const startedInvocation = structure({
  FunctionName: required(text, 'The function.'),
  TenantId: optional(text, 'Its tenant.'),
  Input: optional(input, 'What it is given.'),
  ExecutedVersion: optional(text, 'Version that runs.'),
  DurableExecutionArn: optional(executionArn, 'Its own execution, when it is durable.'),
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
    ExecutionTimeout: required(seconds, 'Seconds that it may take.'),
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
    ScheduledEndTimestamp: required(timestamp, 'When it ends.'),
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
    CallbackId: required(callbackId, 'Id to answer with.'),
    HeartbeatTimeout: optional(seconds, 'Seconds between signs of life.'),
    Timeout: optional(seconds, 'Seconds until it is given up.'),
  }),
  CallbackSucceededDetails: structure(succeeded),
  CallbackFailedDetails: structure(failed),
  CallbackTimedOutDetails: structure(failed),
  InvocationCompletedDetails: structure({
    StartTimestamp: required(timestamp, 'When it began.'),
    EndTimestamp: required(timestamp, 'When it ended.'),
    RequestId: required(text, 'Its id in the log.'),
    Error: optional(error, 'Why it failed.'),
  }),
} as const;

const of = 'Present for events of this type.';

export const historyEvent = structure({
  EventType: optional(eventType, 'What happened.'),
  SubType: optional(text, 'What the operation is to the program.'),
  EventId: optional(integer({ min: 1 }), 'Number of the event, from 1 on.'),
  Id: optional(text, 'Id of the operation.'),
  Name: optional(text, 'Name of the operation.'),
  EventTimestamp: optional(timestamp, 'When it happened.'),
  ParentId: optional(text, 'Id of the context that the operation is in.'),
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
