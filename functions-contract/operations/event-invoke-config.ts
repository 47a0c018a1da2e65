/** How events that nobody waits for are handled: retries, age, and where the results go. */
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
    'Where the results of events go that were run.',
  ),
  OnFailure: optional(
    structure({
      Destination: optional(destinationArn, 'ARN of a queue, topic, event bus or function.'),
    }),
    'Where events go that were given up.',
  ),
});

const target = {
  FunctionName: required(functionName, 'Name, partial ARN or ARN.', inPath),
  Qualifier: optional(qualifier, 'Version or alias.', inQuery('Qualifier')),
} as const;

const handling = {
  MaximumRetryAttempts: optional(
    integer({ min: 0, max: eventRetriesMax }),
    'Times that an event is tried again after the function failed.',
    { fallback: String(eventRetriesMax) },
  ),
  MaximumEventAgeInSeconds: optional(
    integer({ min: 60, max: eventAgeSecondsMax }),
    'Seconds after which an event is given up.',
    { fallback: String(eventAgeSecondsMax) },
  ),
  DestinationConfig: optional(destinationConfig, 'Where the results go.'),
} as const;

const eventInvokeConfig = structure({
  LastModified: optional(timestamp, 'When it was changed.'),
  FunctionArn: optional(text, 'ARN of the function, version or alias.'),
  ...handling,
});

export const putFunctionEventInvokeConfig = operation({
  name: 'PutFunctionEventInvokeConfig',
  about: 'Says how asynchronous events of a function are handled; what is not given is not kept.',
  method: 'PUT',
  path: base,
  status: 200,
  input: structure({ ...target, ...handling }),
  output: eventInvokeConfig,
});

export const updateFunctionEventInvokeConfig = operation({
  name: 'UpdateFunctionEventInvokeConfig',
  about: 'Changes how asynchronous events of a function are handled.',
  method: 'POST',
  path: base,
  status: 200,
  input: structure({ ...target, ...handling }),
  output: eventInvokeConfig,
});

export const getFunctionEventInvokeConfig = operation({
  name: 'GetFunctionEventInvokeConfig',
  about: 'Tells how asynchronous events of a function are handled.',
  method: 'GET',
  path: base,
  status: 200,
  input: structure(target),
  output: eventInvokeConfig,
});

export const deleteFunctionEventInvokeConfig = operation({
  name: 'DeleteFunctionEventInvokeConfig',
  about: 'Has asynchronous events of a function handled as by default.',
  method: 'DELETE',
  path: base,
  status: 204,
  input: structure(target),
  output: nothing,
});

export const listFunctionEventInvokeConfigs = operation({
  name: 'ListFunctionEventInvokeConfigs',
  about: 'Lists how asynchronous events are handled for a function, its versions and aliases.',
  method: 'GET',
  path: `${base}/list`,
  status: 200,
  input: structure({
    FunctionName: target.FunctionName,
    Marker: optional(text, 'NextMarker of the page before.', inQuery('Marker')),
    MaxItems: optional(integer({ min: 1, max: 50 }), 'Items of a page.', inQuery('MaxItems')),
  }),
  output: structure({
    FunctionEventInvokeConfigs: optional(list(eventInvokeConfig, {}), 'The configurations.'),
    NextMarker: optional(text, 'Asks for the next page.'),
  }),
  pages: {
    token: 'Marker',
    nextToken: 'NextMarker',
    limit: 'MaxItems',
    items: 'FunctionEventInvokeConfigs',
  },
});
