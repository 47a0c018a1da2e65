/** The pieces of a durable execution: what its program says of them, and what it is told. */
import {
  boolean,
  integer,
  list,
  optional,
  required,
  string,
  structure,
  text,
  timestamp,
} from '../shape.ts';
import { namespacedFunctionName } from './names.ts';

/** A year that leaps. */
const longestSeconds = 31_622_400;

export const executionArn = string({
  min: 1,
  max: 1024,
  pattern: String.raw`arn:([a-zA-Z0-9-]+):lambda:([a-zA-Z0-9-]+):(\d{12}):function:([a-zA-Z0-9_-]+):(\$LATEST(?:\.PUBLISHED)?|[0-9]+)/durable-execution/([a-zA-Z0-9_-]+)/([a-zA-Z0-9_-]+)`,
});
export const executionName = string({ min: 1, max: 64, pattern: '[a-zA-Z0-9-_]+' });
export const executionStatus = string({
  values: ['RUNNING', 'SUCCEEDED', 'FAILED', 'TIMED_OUT', 'STOPPED'],
});
/** Whoever has one may say how far the execution is. */
export const checkpointToken = string({
  min: 1,
  max: 2048,
  pattern: '[A-Za-z0-9+/]+={0,2}',
  sensitive: true,
});
/** Whoever has one may answer in the place of the one who was asked. */
export const callbackId = string({
  min: 1,
  max: 1024,
  pattern: '[A-Za-z0-9+/]+={0,2}',
  sensitive: true,
});
export const payload = string({ min: 0, max: 6_291_456, sensitive: true, anyCharacter: true });

const sensitiveText = string({ sensitive: true, anyCharacter: true });

export const errorObject = structure({
  ErrorMessage: optional(sensitiveText, 'What went wrong, for people.'),
  ErrorType: optional(sensitiveText, 'Kind of the error.'),
  ErrorData: optional(sensitiveText, 'What programs read of it.'),
  StackTrace: optional(list(sensitiveText, {}), 'Where it was thrown.'),
});

const operationId = string({ min: 1, max: 64, pattern: '[a-zA-Z0-9-_]+' });
export const operationType = string({
  values: ['EXECUTION', 'CONTEXT', 'STEP', 'WAIT', 'CALLBACK', 'CHAINED_INVOKE'],
});

const identity = {
  Id: required(operationId, 'Id of the operation.'),
  ParentId: optional(operationId, 'Id of the context that it is in.'),
  Name: optional(
    string({ min: 1, max: 256, pattern: String.raw`[\x20-\x7E]+` }),
    'Name that the program gave it.',
  ),
  Type: required(operationType, 'What it is.'),
  SubType: optional(
    string({ min: 1, max: 32, pattern: '[a-zA-Z0-9-_]+' }),
    'What it is to the program.',
  ),
} as const;

const seconds = integer({ min: 0 });
const delay = integer({ min: 1, max: longestSeconds });

export const operationUpdate = structure({
  ...identity,
  Action: required(
    string({ values: ['START', 'SUCCEED', 'FAIL', 'RETRY', 'CANCEL'] }),
    'What happened to it.',
  ),
  Payload: optional(payload, 'Result, or the input of an invocation.'),
  Error: optional(errorObject, 'Why it failed.'),
  ContextOptions: optional(
    structure({
      ReplayChildren: optional(boolean, 'Keeps the operations of a context that is over.'),
    }),
    'Of contexts.',
  ),
  StepOptions: optional(
    structure({ NextAttemptDelaySeconds: optional(delay, 'Seconds until the next attempt.') }),
    'Of steps.',
  ),
  WaitOptions: optional(
    structure({ WaitSeconds: optional(delay, 'Seconds to wait.') }),
    'Of waits.',
  ),
  CallbackOptions: optional(
    structure({
      TimeoutSeconds: optional(seconds, 'Seconds until it is given up; 0 is never.'),
      HeartbeatTimeoutSeconds: optional(seconds, 'Seconds between signs of life; 0 needs none.'),
    }),
    'Of callbacks.',
  ),
  ChainedInvokeOptions: optional(
    structure({
      FunctionName: required(namespacedFunctionName, 'The function to invoke.'),
      TenantId: optional(
        string({ min: 1, max: 256, pattern: String.raw`[a-zA-Z0-9\._:\/=+\-@ ]+` }),
        'Its tenant.',
      ),
      XAmznTraceId: optional(string({ min: 0, max: 8192 }), 'Trace that it is part of.'),
    }),
    'Of invocations of other functions.',
  ),
});

const outcome = {
  Result: optional(payload, 'What came of it.'),
  Error: optional(errorObject, 'Why it failed.'),
} as const;

export const durableOperation = structure({
  ...identity,
  StartTimestamp: required(timestamp, 'When it started.'),
  EndTimestamp: optional(timestamp, 'When it ended.'),
  Status: required(
    string({
      values: [
        'STARTED',
        'PENDING',
        'READY',
        'SUCCEEDED',
        'FAILED',
        'CANCELLED',
        'TIMED_OUT',
        'STOPPED',
      ],
    }),
    'How it stands.',
  ),
  ExecutionDetails: optional(
    structure({ InputPayload: optional(payload, 'The event.') }),
    'Of the execution itself.',
  ),
  ContextDetails: optional(
    structure({
      ReplayChildren: optional(boolean, 'Whether the operations in it are told as well.'),
      ...outcome,
    }),
    'Of contexts.',
  ),
  StepDetails: optional(
    structure({
      Attempt: optional(integer({ min: 0 }), 'Attempts so far.'),
      NextAttemptTimestamp: optional(timestamp, 'When the next attempt is due.'),
      ...outcome,
    }),
    'Of steps.',
  ),
  WaitDetails: optional(
    structure({ ScheduledEndTimestamp: optional(timestamp, 'When the wait ends.') }),
    'Of waits.',
  ),
  CallbackDetails: optional(
    structure({ CallbackId: optional(callbackId, 'Id to answer with.'), ...outcome }),
    'Of callbacks.',
  ),
  ChainedInvokeDetails: optional(structure(outcome), 'Of invocations of other functions.'),
});

export const durableExecution = structure({
  DurableExecutionArn: required(executionArn, 'ARN of the execution.'),
  DurableExecutionName: required(executionName, 'Name of the execution.'),
  FunctionArn: required(text, 'ARN of the function.'),
  Status: required(executionStatus, 'How it stands.'),
  StartTimestamp: required(timestamp, 'When it began.'),
  EndTimestamp: optional(timestamp, 'When it ended.'),
});
