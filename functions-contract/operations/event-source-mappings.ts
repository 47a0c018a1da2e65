/** Event source mappings: queues whose messages invoke a function. */
import { operation } from '../operation.ts';
import { namespacedFunctionName } from '../shapes/names.ts';
import { marker, maxItems, nextMarker, pagesOf } from '../shapes/paging.ts';
import {
  boolean,
  inPath,
  inQuery,
  integer,
  list,
  map,
  optional,
  required,
  string,
  structure,
  text,
  timestamp,
} from '../shape.ts';

const base = '/2015-03-31/event-source-mappings';
const uuid = required(text, 'UUID of the event source mapping.', inPath);

const eventSourceArn = string({
  pattern: String.raw`arn:(aws[a-zA-Z0-9-]*):([a-zA-Z0-9\-])+:((eusc-)?[a-z]{2}((-gov)|(-iso([a-z]?)))?-[a-z]+-\d{1})?:(\d{12})?:(.*)`,
});

const settings = {
  Enabled: optional(boolean, 'Whether messages are received.', { default: true }),
  BatchSize: optional(
    integer({ min: 1, max: 10_000 }),
    'Maximum messages per invocation. More than 10 require a batching window.',
    { default: 10 },
  ),
  MaximumBatchingWindowInSeconds: optional(
    integer({ min: 0, max: 300 }),
    'Seconds to wait for a full batch.',
    { default: 0 },
  ),
  FilterCriteria: optional(
    structure({
      Filters: optional(
        list(
          structure({
            Pattern: optional(string({ min: 0, max: 4096, pattern: '.*' }), 'Pattern, as JSON.'),
          }),
          {},
        ),
        'Patterns. A message must match one of them.',
      ),
    }),
    'Which messages invoke the function. Others are deleted from the queue.',
  ),
  FunctionResponseTypes: optional(
    list(string({ values: ['ReportBatchItemFailures'] }), { min: 0, max: 1 }),
    'ReportBatchItemFailures: the response names the messages that failed.',
  ),
  ScalingConfig: optional(
    structure({
      MaximumConcurrency: optional(
        integer({ min: 2, max: 1000 }),
        'Maximum concurrent invocations from this queue.',
      ),
    }),
    'Concurrency of the event source mapping.',
  ),
} as const;

const mapping = structure({
  UUID: optional(text, 'UUID of the event source mapping.'),
  EventSourceMappingArn: optional(text, 'ARN of the event source mapping.'),
  EventSourceArn: optional(text, 'ARN of the queue.'),
  FunctionArn: optional(text, 'ARN of the function to invoke.'),
  BatchSize: settings.BatchSize,
  MaximumBatchingWindowInSeconds: settings.MaximumBatchingWindowInSeconds,
  FilterCriteria: settings.FilterCriteria,
  FunctionResponseTypes: settings.FunctionResponseTypes,
  ScalingConfig: settings.ScalingConfig,
  LastModified: optional(timestamp, 'Time of the last change.'),
  LastProcessingResult: optional(text, 'Result of the last batch.'),
  State: optional(text, 'State of the event source mapping.'),
  StateTransitionReason: optional(text, 'Cause of the last change.'),
});

export const createEventSourceMapping = operation({
  name: 'CreateEventSourceMapping',
  description:
    'Creates an event source mapping: messages of a configured queue invoke the function.',
  method: 'POST',
  path: base,
  status: 202,
  input: structure({
    EventSourceArn: optional(eventSourceArn, 'ARN of the queue.'),
    FunctionName: required(namespacedFunctionName, 'Name, partial ARN or ARN.'),
    ...settings,
    Tags: optional(map(text, text, {}), 'Tags of the event source mapping.'),
  }),
  output: mapping,
});

export const getEventSourceMapping = operation({
  name: 'GetEventSourceMapping',
  description: 'Shows an event source mapping.',
  method: 'GET',
  path: `${base}/{UUID}`,
  status: 200,
  input: structure({ UUID: uuid }),
  output: mapping,
});

export const updateEventSourceMapping = operation({
  name: 'UpdateEventSourceMapping',
  description: 'Updates an event source mapping. Omitted settings do not change.',
  method: 'PUT',
  path: `${base}/{UUID}`,
  status: 202,
  input: structure({
    UUID: uuid,
    FunctionName: optional(namespacedFunctionName, 'Name, partial ARN or ARN.'),
    ...settings,
  }),
  output: mapping,
});

export const deleteEventSourceMapping = operation({
  name: 'DeleteEventSourceMapping',
  description: 'Deletes an event source mapping. Its queue remains.',
  method: 'DELETE',
  path: `${base}/{UUID}`,
  status: 202,
  input: structure({ UUID: uuid }),
  output: mapping,
});

export const listEventSourceMappings = operation({
  name: 'ListEventSourceMappings',
  description: 'Lists event source mappings.',
  method: 'GET',
  path: base,
  status: 200,
  input: structure({
    EventSourceArn: optional(
      eventSourceArn,
      'Lists only the mappings of this queue.',
      inQuery('EventSourceArn'),
    ),
    FunctionName: optional(
      namespacedFunctionName,
      'Lists only the mappings of this function.',
      inQuery('FunctionName'),
    ),
    Marker: marker,
    MaxItems: maxItems(10_000),
  }),
  output: structure({
    NextMarker: nextMarker,
    EventSourceMappings: optional(list(mapping, {}), 'The event source mappings.'),
  }),
  pages: pagesOf('EventSourceMappings'),
});
