/** Durable executions: reading and stopping them, completing callbacks, and the operations of their own programs. */
import { operation } from '../operation.ts';
import { historyEvent } from '../shapes/durable-history.ts';
import {
  callbackId,
  checkpointToken,
  durableExecution,
  durableOperation,
  errorObject,
  executionArn,
  executionName,
  executionStatus,
  operationUpdate,
  payload,
} from '../shapes/durable-operations.ts';
import { namespacedFunctionName, qualifier } from '../shapes/names.ts';
import { marker, nextMarker, pagesOf } from '../shapes/paging.ts';
import { durableConfig } from '../shapes/settings.ts';
import {
  blob,
  boolean,
  inPath,
  inPayload,
  inQuery,
  integer,
  list,
  optional,
  required,
  string,
  structure,
  text,
  timestamp,
} from '../shape.ts';

const base = '/2025-12-01/durable-executions/{DurableExecutionArn}';
const callbacks = '/2025-12-01/durable-execution-callbacks/{CallbackId}';

/** Request of a checkpoint. A result of the largest size whose every character is escaped still fits. */
const checkpointRequestBytesMax = 12_582_912 + 65_536;
/** Request with a callback's result, an error or a stop. */
const callbackRequestBytesMax = 1_048_576;

const arn = required(executionArn, 'ARN of the execution.', inPath);
const callback = required(callbackId, 'Id of the callback.', inPath);
const error = optional(errorObject, 'The error.', inPayload);
const includeData = optional(
  boolean,
  'false omits payloads and errors.',
  inQuery('IncludeExecutionData'),
);
/** Unlike elsewhere, 0 is taken, and is the default. */
const maxItems = optional(
  integer({ min: 0, max: 1000 }),
  'Maximum items per page.',
  inQuery('MaxItems'),
);
const reverse = (description: string) => optional(boolean, description, inQuery('ReverseOrder'));

export const getDurableExecution = operation({
  name: 'GetDurableExecution',
  description: 'Shows a durable execution.',
  method: 'GET',
  path: base,
  status: 200,
  input: structure({ DurableExecutionArn: arn, IncludeExecutionData: includeData }),
  output: structure({
    ...durableExecution.members,
    InputPayload: optional(payload, 'Input event of the execution.'),
    Result: optional(payload, 'Result of an execution that succeeded.'),
    Error: optional(errorObject, 'Error of an execution that did not succeed.'),
    Version: optional(text, 'Version of the function.'),
    TraceHeader: optional(
      structure({ XAmznTraceId: optional(text, 'Trace header of the caller.') }),
      'Trace that the execution belongs to.',
    ),
    ExecutionDataIncluded: optional(boolean, 'Whether payloads and errors are included.'),
    DurableConfig: optional(durableConfig, 'Limits of the execution.'),
  }),
});

export const getDurableExecutionHistory = operation({
  name: 'GetDurableExecutionHistory',
  description: 'Shows the event history of a durable execution.',
  method: 'GET',
  path: `${base}/history`,
  status: 200,
  input: structure({
    DurableExecutionArn: arn,
    IncludeExecutionData: includeData,
    MaxItems: maxItems,
    Marker: marker,
    ReverseOrder: reverse('true lists the newest events first.'),
  }),
  output: structure({
    Events: required(list(historyEvent, {}), 'The events.'),
    NextMarker: nextMarker,
  }),
  pages: pagesOf('Events'),
});

export const getDurableExecutionState = operation({
  name: 'GetDurableExecutionState',
  description: 'Shows the operations of a durable execution. For use by the function itself.',
  method: 'GET',
  path: `${base}/state`,
  status: 200,
  input: structure({
    DurableExecutionArn: arn,
    CheckpointToken: required(
      checkpointToken,
      'Token of the previous checkpoint.',
      inQuery('CheckpointToken'),
    ),
    Marker: marker,
    MaxItems: maxItems,
  }),
  output: structure({
    Operations: required(list(durableOperation, {}), 'The operations.'),
    NextMarker: nextMarker,
  }),
  pages: pagesOf('Operations'),
});

export const checkpointDurableExecution = operation({
  name: 'CheckpointDurableExecution',
  description: 'Saves a checkpoint of a durable execution. For use by the function itself.',
  method: 'POST',
  path: `${base}/checkpoint`,
  status: 200,
  requestBytesMax: checkpointRequestBytesMax,
  input: structure({
    DurableExecutionArn: arn,
    CheckpointToken: required(checkpointToken, 'Token of the previous checkpoint.'),
    Updates: optional(list(operationUpdate, {}), 'Updates since the previous checkpoint.'),
    ClientToken: optional(
      string({ min: 1, max: 64, pattern: String.raw`[\x21-\x7E]+` }),
      'Idempotency token: identical for retries of one request.',
    ),
  }),
  output: structure({
    CheckpointToken: optional(checkpointToken, 'Token for the next checkpoint.'),
    NewExecutionState: required(
      structure({
        Operations: optional(list(durableOperation, {}), 'Updated operations.'),
        NextMarker: nextMarker,
      }),
      'Changes since the previous checkpoint.',
    ),
  }),
});

export const stopDurableExecution = operation({
  name: 'StopDurableExecution',
  description: 'Stops a durable execution.',
  method: 'POST',
  path: `${base}/stop`,
  status: 200,
  requestBytesMax: callbackRequestBytesMax,
  input: structure({ DurableExecutionArn: arn, Error: error }),
  output: structure({
    StopTimestamp: required(timestamp, 'Time at which the execution was stopped.'),
  }),
});

export const sendDurableExecutionCallbackSuccess = operation({
  name: 'SendDurableExecutionCallbackSuccess',
  description: 'Completes a callback with a result.',
  method: 'POST',
  path: `${callbacks}/succeed`,
  status: 200,
  requestBytesMax: callbackRequestBytesMax,
  input: structure({
    CallbackId: callback,
    Result: optional({ ...blob, sensitive: true }, 'Result of the callback.', inPayload),
  }),
  output: structure({}),
});

export const sendDurableExecutionCallbackFailure = operation({
  name: 'SendDurableExecutionCallbackFailure',
  description: 'Completes a callback with a failure.',
  method: 'POST',
  path: `${callbacks}/fail`,
  status: 200,
  requestBytesMax: callbackRequestBytesMax,
  input: structure({ CallbackId: callback, Error: error }),
  output: structure({}),
});

export const sendDurableExecutionCallbackHeartbeat = operation({
  name: 'SendDurableExecutionCallbackHeartbeat',
  description: 'Sends a heartbeat for a callback, which extends its heartbeat timeout.',
  method: 'POST',
  path: `${callbacks}/heartbeat`,
  status: 200,
  input: structure({ CallbackId: callback }),
  output: structure({}),
});

export const listDurableExecutionsByFunction = operation({
  name: 'ListDurableExecutionsByFunction',
  description: 'Lists the durable executions of a function, newest first.',
  method: 'GET',
  path: '/2025-12-01/functions/{FunctionName}/durable-executions',
  status: 200,
  input: structure({
    FunctionName: required(namespacedFunctionName, 'Name, partial ARN or ARN.', inPath),
    Qualifier: optional(qualifier, 'Version or alias.', inQuery('Qualifier')),
    DurableExecutionName: optional(
      executionName,
      'Lists only executions with this name.',
      inQuery('DurableExecutionName'),
    ),
    Statuses: optional(
      list(executionStatus, { min: 1, max: 10 }),
      'Lists only executions with these statuses.',
      inQuery('Statuses'),
    ),
    StartedAfter: optional(
      text,
      'Lists only executions started after this time.',
      inQuery('StartedAfter'),
    ),
    StartedBefore: optional(
      text,
      'Lists only executions started before this time.',
      inQuery('StartedBefore'),
    ),
    ReverseOrder: reverse('true lists the oldest executions first.'),
    Marker: marker,
    MaxItems: maxItems,
  }),
  output: structure({
    DurableExecutions: optional(list(durableExecution, {}), 'The executions.'),
    NextMarker: nextMarker,
  }),
  pages: pagesOf('DurableExecutions'),
});
