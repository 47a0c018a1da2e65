/** Queues and streams that functions would be run from: this service has none, and says so. */
import { operation } from '../operation.ts';
import { namespacedFunctionName } from '../shapes/names.ts';
import { marker, maxItems, nextMarker, pagesOf } from '../shapes/paging.ts';
import { inPath, inQuery, list, optional, required, structure, text } from '../shape.ts';

const base = '/2015-03-31/event-source-mappings';
const uuid = required(text, 'Id of the mapping.', inPath);

const mapping = structure({
  UUID: optional(text, 'Id of the mapping.'),
  EventSourceArn: optional(text, 'Queue or stream.'),
  FunctionArn: optional(text, 'Function that it runs.'),
  State: optional(text, 'State of the mapping.'),
});

export const createEventSourceMapping = operation({
  name: 'CreateEventSourceMapping',
  about: 'Would run a function with what arrives in a queue or stream; not supported here.',
  method: 'POST',
  path: base,
  status: 202,
  input: structure({
    FunctionName: required(namespacedFunctionName, 'Name, partial ARN or ARN.'),
    EventSourceArn: optional(text, 'Queue or stream.'),
  }),
  output: mapping,
});

export const getEventSourceMapping = operation({
  name: 'GetEventSourceMapping',
  about: 'Tells a mapping.',
  method: 'GET',
  path: `${base}/{UUID}`,
  status: 200,
  input: structure({ UUID: uuid }),
  output: mapping,
});

export const updateEventSourceMapping = operation({
  name: 'UpdateEventSourceMapping',
  about: 'Changes a mapping.',
  method: 'PUT',
  path: `${base}/{UUID}`,
  status: 202,
  input: structure({ UUID: uuid }),
  output: mapping,
});

export const deleteEventSourceMapping = operation({
  name: 'DeleteEventSourceMapping',
  about: 'Deletes a mapping.',
  method: 'DELETE',
  path: `${base}/{UUID}`,
  status: 202,
  input: structure({ UUID: uuid }),
  output: mapping,
});

export const listEventSourceMappings = operation({
  name: 'ListEventSourceMappings',
  about: 'Lists mappings.',
  method: 'GET',
  path: base,
  status: 200,
  input: structure({
    EventSourceArn: optional(
      text,
      'Only those of this queue or stream.',
      inQuery('EventSourceArn'),
    ),
    FunctionName: optional(
      namespacedFunctionName,
      'Only those of this function.',
      inQuery('FunctionName'),
    ),
    Marker: marker,
    MaxItems: maxItems(10_000),
  }),
  output: structure({
    NextMarker: nextMarker,
    EventSourceMappings: optional(list(mapping, {}), 'The mappings.'),
  }),
  pages: pagesOf('EventSourceMappings'),
});
