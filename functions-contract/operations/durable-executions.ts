/** Durable executions: none can be begun here, so there are none to tell of, and these operations say so. */
import { operation, type Method } from '../operation.ts';
import { namespacedFunctionName, qualifier } from '../shapes/names.ts';
import { marker, maxItems, nextMarker, pagesOf } from '../shapes/paging.ts';
import { inPath, inQuery, list, optional, required, string, structure, text } from '../shape.ts';

const base = '/2025-12-01/durable-executions/{DurableExecutionArn}';
const callbacks = '/2025-12-01/durable-execution-callbacks/{CallbackId}';
const nothingToTell = structure({});

const ofExecution = (name: string, about: string, method: Method, path: string) =>
  operation({
    name,
    about,
    method,
    path,
    status: 200,
    input: structure({
      DurableExecutionArn: required(string({ min: 1, max: 1024 }), 'ARN of the execution.', inPath),
    }),
    output: nothingToTell,
  });

const ofCallback = (name: string, about: string, end: string) =>
  operation({
    name,
    about,
    method: 'POST',
    path: `${callbacks}/${end}`,
    status: 200,
    input: structure({
      CallbackId: required(string({ min: 1, max: 1024 }), 'Id of the callback.', inPath),
    }),
    output: nothingToTell,
  });

export const getDurableExecution = ofExecution(
  'GetDurableExecution',
  'Tells a durable execution.',
  'GET',
  base,
);
export const getDurableExecutionHistory = ofExecution(
  'GetDurableExecutionHistory',
  'Tells what happened in a durable execution.',
  'GET',
  `${base}/history`,
);
export const getDurableExecutionState = ofExecution(
  'GetDurableExecutionState',
  'Tells the operations of a durable execution.',
  'GET',
  `${base}/state`,
);
export const checkpointDurableExecution = ofExecution(
  'CheckpointDurableExecution',
  'Keeps how far a durable execution is.',
  'POST',
  `${base}/checkpoint`,
);
export const stopDurableExecution = ofExecution(
  'StopDurableExecution',
  'Ends a durable execution.',
  'POST',
  `${base}/stop`,
);
export const sendDurableExecutionCallbackSuccess = ofCallback(
  'SendDurableExecutionCallbackSuccess',
  'Tells a waiting execution what came.',
  'succeed',
);
export const sendDurableExecutionCallbackFailure = ofCallback(
  'SendDurableExecutionCallbackFailure',
  'Tells a waiting execution that nothing will come.',
  'fail',
);
export const sendDurableExecutionCallbackHeartbeat = ofCallback(
  'SendDurableExecutionCallbackHeartbeat',
  'Tells a waiting execution to go on waiting.',
  'heartbeat',
);

export const listDurableExecutionsByFunction = operation({
  name: 'ListDurableExecutionsByFunction',
  about: 'Lists the durable executions of a function.',
  method: 'GET',
  path: '/2025-12-01/functions/{FunctionName}/durable-executions',
  status: 200,
  input: structure({
    FunctionName: required(namespacedFunctionName, 'Name, partial ARN or ARN.', inPath),
    Qualifier: optional(qualifier, 'Version or alias.', inQuery('Qualifier')),
    Marker: marker,
    MaxItems: maxItems(1000),
  }),
  output: structure({
    DurableExecutions: optional(
      list(structure({ DurableExecutionArn: optional(text, 'ARN of the execution.') }), {}),
      'The executions.',
    ),
    NextMarker: nextMarker,
  }),
  pages: pagesOf('DurableExecutions'),
});
