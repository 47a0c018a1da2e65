/** Event source mappings, which this service does not support: lists are empty, creation is refused. */
import { operation } from '../operation.ts';
import { namespacedFunctionName } from '../shapes/names.ts';
import { marker, maxItems, nextMarker, pagesOf } from '../shapes/paging.ts';
import { inPath, inQuery, list, optional, required, structure, text } from '../shape.ts';

const base = '/2015-03-31/event-source-mappings';
const uuid = required(text, 'UUID of the event source mapping.', inPath);

const mapping = structure({
  UUID: optional(text, 'UUID of the event source mapping.'),
  EventSourceArn: optional(text, 'ARN of the queue or stream.'),
  FunctionArn: optional(text, 'ARN of the function to invoke.'),
  State: optional(text, 'State of the event source mapping.'),
});

export const createEventSourceMapping = operation({
  name: 'CreateEventSourceMapping',
  about: 'Not supported: functions cannot be invoked from a queue or stream.',
  method: 'POST',
  path: base,
  status: 202,
  input: structure({
    FunctionName: required(namespacedFunctionName, 'Name, partial ARN or ARN.'),
    EventSourceArn: optional(text, 'ARN of the queue or stream.'),
  }),
  output: mapping,
});

export const getEventSourceMapping = operation({
  name: 'GetEventSourceMapping',
  about: 'Shows an event source mapping.',
  method: 'GET',
  path: `${base}/{UUID}`,
  status: 200,
  input: structure({ UUID: uuid }),
  output: mapping,
});

export const updateEventSourceMapping = operation({
  name: 'UpdateEventSourceMapping',
  about: 'Updates an event source mapping.',
  method: 'PUT',
  path: `${base}/{UUID}`,
  status: 202,
  input: structure({ UUID: uuid }),
  output: mapping,
});

export const deleteEventSourceMapping = operation({
  name: 'DeleteEventSourceMapping',
  about: 'Deletes an event source mapping.',
  method: 'DELETE',
  path: `${base}/{UUID}`,
  status: 202,
  input: structure({ UUID: uuid }),
  output: mapping,
});

export const listEventSourceMappings = operation({
  name: 'ListEventSourceMappings',
  about: 'Lists event source mappings.',
  method: 'GET',
  path: base,
  status: 200,
  input: structure({
    EventSourceArn: optional(
      text,
      'Lists only the mappings of this queue or stream.',
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
