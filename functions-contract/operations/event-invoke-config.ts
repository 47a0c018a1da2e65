/** How asynchronous events are handled: retries, age, and destinations. */
import { eventAgeSecondsMax, eventRetriesMax } from '../limits.ts';
import { nothing, operation } from '../operation.ts';
import { destinationArnPattern } from '../patterns.ts';
import { functionName, qualifier } from '../shapes/names.ts';
import {
  inPath,
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

const base = '/2019-09-25/functions/{FunctionName}/event-invoke-config';

const destinationArn = string({ min: 0, max: 350, pattern: destinationArnPattern });

const destinationConfig = structure({
  OnSuccess: optional(
    structure({
      Destination: optional(destinationArn, 'ARN of a queue, topic, event bus or function.'),
    }),
    'Destination for results of events that succeeded.',
  ),
  OnFailure: optional(
    structure({
      Destination: optional(destinationArn, 'ARN of a queue, topic, event bus or function.'),
    }),
    'Destination for events that failed after all retries or expired.',
  ),
});

const target = {
  FunctionName: required(functionName, 'Name, partial ARN or ARN.', inPath),
  Qualifier: optional(qualifier, 'Version or alias.', inQuery('Qualifier')),
} as const;

const handling = {
  MaximumRetryAttempts: optional(
    integer({ min: 0, max: eventRetriesMax }),
    'Maximum retries of an event after the function fails.',
    { default: eventRetriesMax },
  ),
  MaximumEventAgeInSeconds: optional(
    integer({ min: 60, max: eventAgeSecondsMax }),
    'Maximum age of an event, in seconds. Older events are discarded.',
    { default: eventAgeSecondsMax },
  ),
  DestinationConfig: optional(destinationConfig, 'Destinations for results and failed events.'),
} as const;

const eventInvokeConfig = structure({
  LastModified: optional(timestamp, 'Time of the last change.'),
  FunctionArn: optional(text, 'ARN of the function, version or alias.'),
  ...handling,
});

export const putFunctionEventInvokeConfig = operation({
  name: 'PutFunctionEventInvokeConfig',
  description: 'Replaces the asynchronous invocation settings of a function.',
  method: 'PUT',
  path: base,
  status: 200,
  input: structure({ ...target, ...handling }),
  output: eventInvokeConfig,
});

export const updateFunctionEventInvokeConfig = operation({
  name: 'UpdateFunctionEventInvokeConfig',
  description: 'Updates the asynchronous invocation settings of a function.',
  method: 'POST',
  path: base,
  status: 200,
  input: structure({ ...target, ...handling }),
  output: eventInvokeConfig,
});

export const getFunctionEventInvokeConfig = operation({
  name: 'GetFunctionEventInvokeConfig',
  description: 'Shows the asynchronous invocation settings of a function.',
  method: 'GET',
  path: base,
  status: 200,
  input: structure(target),
  output: eventInvokeConfig,
});

export const deleteFunctionEventInvokeConfig = operation({
  name: 'DeleteFunctionEventInvokeConfig',
  description: 'Deletes the asynchronous invocation settings of a function.',
  method: 'DELETE',
  path: base,
  status: 204,
  input: structure(target),
  output: nothing,
});

export const listFunctionEventInvokeConfigs = operation({
  name: 'ListFunctionEventInvokeConfigs',
  description:
    'Lists the asynchronous invocation settings of a function, its versions and its aliases.',
  method: 'GET',
  path: `${base}/list`,
  status: 200,
  input: structure({
    FunctionName: target.FunctionName,
    Marker: optional(text, 'NextMarker of the previous page.', inQuery('Marker')),
    MaxItems: optional(
      integer({ min: 1, max: 50 }),
      'Maximum items per page.',
      inQuery('MaxItems'),
    ),
  }),
  output: structure({
    FunctionEventInvokeConfigs: optional(list(eventInvokeConfig, {}), 'The configurations.'),
    NextMarker: optional(text, 'Marker for the next page.'),
  }),
  pages: {
    token: 'Marker',
    nextToken: 'NextMarker',
    limit: 'MaxItems',
    items: 'FunctionEventInvokeConfigs',
  },
});
