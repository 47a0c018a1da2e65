/** The operations of a durable execution: the updates of its program, and the responses. */
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

/** Time for which an operation of a durable execution may wait: a leap year. */
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
/** A bearer token: it allows checkpointing the execution. */
export const checkpointToken = string({
  min: 1,
  max: 2048,
  pattern: '[A-Za-z0-9+/]+={0,2}',
  sensitive: true,
});
/** A bearer token: it allows completing the callback. */
export const callbackId = string({
  min: 1,
  max: 1024,
  pattern: '[A-Za-z0-9+/]+={0,2}',
  sensitive: true,
});
export const payload = string({ min: 0, max: 6_291_456, sensitive: true, anyCharacter: true });

const sensitiveText = string({ sensitive: true, anyCharacter: true });

export const errorObject = structure({
  ErrorMessage: optional(sensitiveText, 'Human-readable error message.'),
  ErrorType: optional(sensitiveText, 'Type of the error.'),
  ErrorData: optional(sensitiveText, 'Machine-readable error data.'),
  StackTrace: optional(list(sensitiveText, {}), 'Stack trace.'),
});

const operationId = string({ min: 1, max: 64, pattern: '[a-zA-Z0-9-_]+' });
export const operationType = string({
  values: ['EXECUTION', 'CONTEXT', 'STEP', 'WAIT', 'CALLBACK', 'CHAINED_INVOKE'],
});

const identity = {
  Id: required(operationId, 'Id of the operation.'),
  ParentId: optional(operationId, 'Id of the context that contains the operation.'),
  Name: optional(
    string({ min: 1, max: 256, pattern: String.raw`[\x20-\x7E]+` }),
    'Name of the operation, set by the program.',
  ),
  Type: required(operationType, 'Type of the operation.'),
  SubType: optional(
    string({ min: 1, max: 32, pattern: '[a-zA-Z0-9-_]+' }),
    'Subtype of the operation, set by the program.',
  ),
} as const;

const seconds = integer({ min: 0 });
const delay = integer({ min: 1, max: longestSeconds });

export const operationUpdate = structure({
  ...identity,
  Action: required(
    string({ values: ['START', 'SUCCEED', 'FAIL', 'RETRY', 'CANCEL'] }),
    'Action to apply to the operation.',
  ),
  Payload: optional(payload, 'Result of the operation, or input of an invocation.'),
  Error: optional(errorObject, 'Error of an operation that failed.'),
  ContextOptions: optional(
    structure({
      ReplayChildren: optional(
        boolean,
        'Retains the operations of a completed context for replay.',
      ),
    }),
    'Present for contexts.',
  ),
  StepOptions: optional(
    structure({ NextAttemptDelaySeconds: optional(delay, 'Seconds until the next attempt.') }),
    'Present for steps.',
  ),
  WaitOptions: optional(
    structure({ WaitSeconds: optional(delay, 'Seconds to wait.') }),
    'Present for waits.',
  ),
  CallbackOptions: optional(
    structure({
      TimeoutSeconds: optional(seconds, 'Seconds until the callback times out; 0 for no timeout.'),
      HeartbeatTimeoutSeconds: optional(
        seconds,
        'Maximum seconds between heartbeats; 0 for no limit.',
      ),
    }),
    'Present for callbacks.',
  ),
  ChainedInvokeOptions: optional(
    structure({
      FunctionName: required(namespacedFunctionName, 'Function to invoke.'),
      TenantId: optional(
        string({ min: 1, max: 256, pattern: String.raw`[a-zA-Z0-9\._:\/=+\-@ ]+` }),
        'Tenant of the invocation.',
      ),
      XAmznTraceId: optional(
        string({ min: 0, max: 8192 }),
        'Trace that the invocation belongs to.',
      ),
    }),
    'Present for invocations of other functions.',
  ),
});

const outcome = {
  Result: optional(payload, 'Result of the operation.'),
  Error: optional(errorObject, 'Error of an operation that failed.'),
} as const;

export const durableOperation = structure({
  ...identity,
  StartTimestamp: required(timestamp, 'Time at which the operation started.'),
  EndTimestamp: optional(timestamp, 'Time at which it ended.'),
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
    'Status.',
  ),
  ExecutionDetails: optional(
    structure({ InputPayload: optional(payload, 'The event.') }),
    'Present for the execution itself.',
  ),
  ContextDetails: optional(
    structure({
      ReplayChildren: optional(boolean, 'Whether the operations of the context are included.'),
      ...outcome,
    }),
    'Present for contexts.',
  ),
  StepDetails: optional(
    structure({
      Attempt: optional(integer({ min: 0 }), 'Number of attempts.'),
      NextAttemptTimestamp: optional(timestamp, 'Time of the next attempt.'),
      ...outcome,
    }),
    'Present for steps.',
  ),
  WaitDetails: optional(
    structure({ ScheduledEndTimestamp: optional(timestamp, 'Time at which the wait ends.') }),
    'Present for waits.',
  ),
  CallbackDetails: optional(
    structure({ CallbackId: optional(callbackId, 'Id for completing the callback.'), ...outcome }),
    'Present for callbacks.',
  ),
  ChainedInvokeDetails: optional(structure(outcome), 'Present for invocations of other functions.'),
});

export const durableExecution = structure({
  DurableExecutionArn: required(executionArn, 'ARN of the execution.'),
  DurableExecutionName: required(executionName, 'Name of the execution.'),
  FunctionArn: required(text, 'ARN of the function.'),
  Status: required(executionStatus, 'Status.'),
  StartTimestamp: required(timestamp, 'Time at which the execution started.'),
  EndTimestamp: optional(timestamp, 'Time at which it ended.'),
});
