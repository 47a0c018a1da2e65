/** Durable executions: looking at them, ending them, answering their callbacks, and what their own programs ask. */
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

/** A result of the largest size whose every character is escaped still fits. */
const checkpointRequestBytesMax = 12_582_912 + 65_536;
/** Bytes of a callback's result, and of errors. */
const callbackRequestBytesMax = 1_048_576;

const arn = required(executionArn, 'ARN of the execution.', inPath);
const callback = required(callbackId, 'Id of the callback.', inPath);
const error = optional(errorObject, 'Why.', inPayload);
const includeData = optional(
  boolean,
  'false leaves payloads and errors out.',
  inQuery('IncludeExecutionData'),
);
/** Unlike elsewhere, 0 is taken, and is the default. */
const maxItems = optional(integer({ min: 0, max: 1000 }), 'Items of a page.', inQuery('MaxItems'));
const reverse = (about: string) => optional(boolean, about, inQuery('ReverseOrder'));

export const getDurableExecution = operation({
  name: 'GetDurableExecution',
  about: 'Tells a durable execution.',
  method: 'GET',
  path: base,
  status: 200,
  input: structure({ DurableExecutionArn: arn, IncludeExecutionData: includeData }),
  output: structure({
    ...durableExecution.members,
    InputPayload: optional(payload, 'The event that it began with.'),
    Result: optional(payload, 'Its result, when it succeeded.'),
    Error: optional(errorObject, 'Why it did not succeed.'),
    Version: optional(text, 'Version of the function.'),
    TraceHeader: optional(
      structure({ XAmznTraceId: optional(text, 'As the caller sent it.') }),
      'The trace that it is part of.',
    ),
    ExecutionDataIncluded: optional(boolean, 'Whether payloads and errors are told.'),
    DurableConfig: optional(durableConfig, 'Its bounds.'),
  }),
});

export const getDurableExecutionHistory = operation({
  name: 'GetDurableExecutionHistory',
  about: 'Tells what happened in a durable execution.',
  method: 'GET',
  path: `${base}/history`,
  status: 200,
  input: structure({
    DurableExecutionArn: arn,
    IncludeExecutionData: includeData,
    MaxItems: maxItems,
    Marker: marker,
    ReverseOrder: reverse('true tells the newest first.'),
  }),
  output: structure({
    Events: required(list(historyEvent, {}), 'The events.'),
    NextMarker: nextMarker,
  }),
  pages: pagesOf('Events'),
});

export const getDurableExecutionState = operation({
  name: 'GetDurableExecutionState',
  about: 'Tells the operations of a durable execution, to its own program.',
  method: 'GET',
  path: `${base}/state`,
  status: 200,
  input: structure({
    DurableExecutionArn: arn,
    CheckpointToken: required(
      checkpointToken,
      'Token of the last checkpoint.',
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
  about: 'Keeps how far a durable execution is, for its own program.',
  method: 'POST',
  path: `${base}/checkpoint`,
  status: 200,
  requestBytesMax: checkpointRequestBytesMax,
  input: structure({
    DurableExecutionArn: arn,
    CheckpointToken: required(checkpointToken, 'Token of the last checkpoint.'),
    Updates: optional(list(operationUpdate, {}), 'What happened since.'),
    ClientToken: optional(
      string({ min: 1, max: 64, pattern: String.raw`[\x21-\x7E]+` }),
      'The same for the same request.',
    ),
  }),
  output: structure({
    CheckpointToken: optional(checkpointToken, 'Token for the next checkpoint.'),
    NewExecutionState: required(
      structure({
        Operations: optional(list(durableOperation, {}), 'Operations that changed.'),
        NextMarker: nextMarker,
      }),
      'What changed since the last checkpoint.',
    ),
  }),
});

export const stopDurableExecution = operation({
  name: 'StopDurableExecution',
  about: 'Ends a durable execution.',
  method: 'POST',
  path: `${base}/stop`,
  status: 200,
  requestBytesMax: callbackRequestBytesMax,
  input: structure({ DurableExecutionArn: arn, Error: error }),
  output: structure({ StopTimestamp: required(timestamp, 'When it was ended.') }),
});

export const sendDurableExecutionCallbackSuccess = operation({
  name: 'SendDurableExecutionCallbackSuccess',
  about: 'Tells a waiting execution what came.',
  method: 'POST',
  path: `${callbacks}/succeed`,
  status: 200,
  requestBytesMax: callbackRequestBytesMax,
  input: structure({
    CallbackId: callback,
    Result: optional({ ...blob, sensitive: true }, 'What came.', inPayload),
  }),
  output: structure({}),
});

export const sendDurableExecutionCallbackFailure = operation({
  name: 'SendDurableExecutionCallbackFailure',
  about: 'Tells a waiting execution that nothing will come.',
  method: 'POST',
  path: `${callbacks}/fail`,
  status: 200,
  requestBytesMax: callbackRequestBytesMax,
  input: structure({ CallbackId: callback, Error: error }),
  output: structure({}),
});

export const sendDurableExecutionCallbackHeartbeat = operation({
  name: 'SendDurableExecutionCallbackHeartbeat',
  about: 'Tells a waiting execution to go on waiting.',
  method: 'POST',
  path: `${callbacks}/heartbeat`,
  status: 200,
  input: structure({ CallbackId: callback }),
  output: structure({}),
});

export const listDurableExecutionsByFunction = operation({
  name: 'ListDurableExecutionsByFunction',
  about: 'Lists the durable executions of a function, the newest first.',
  method: 'GET',
  path: '/2025-12-01/functions/{FunctionName}/durable-executions',
  status: 200,
  input: structure({
    FunctionName: required(namespacedFunctionName, 'Name, partial ARN or ARN.', inPath),
    Qualifier: optional(qualifier, 'Version or alias.', inQuery('Qualifier')),
    DurableExecutionName: optional(
      executionName,
      'Only executions of this name.',
      inQuery('DurableExecutionName'),
    ),
    Statuses: optional(
      list(executionStatus, { min: 1, max: 10 }),
      'Only executions that stand so.',
      inQuery('Statuses'),
    ),
    StartedAfter: optional(text, 'Only executions begun after this.', inQuery('StartedAfter')),
    StartedBefore: optional(text, 'Only executions begun before this.', inQuery('StartedBefore')),
    ReverseOrder: reverse('true lists the oldest first.'),
    Marker: marker,
    MaxItems: maxItems,
  }),
  output: structure({
    DurableExecutions: optional(list(durableExecution, {}), 'The executions.'),
    NextMarker: nextMarker,
  }),
  pages: pagesOf('DurableExecutions'),
});
