import {
  createEventSourceMapping,
  deleteEventSourceMapping,
  getEventSourceMapping,
  listEventSourceMappings,
  updateEventSourceMapping,
} from '#functions-contract/operations/event-source-mappings.ts';
import type { StructureOf } from '#functions-contract/shape.ts';

import { invalidParameter, noSuchResource } from '../errors/functions-error.ts';
import { serve, type ServedOperation, type OperationRoute } from '../http/call.ts';

/** Event source mappings: nothing runs functions from queues and streams here. Lists are empty, and none can be created. */
export const eventSourceMappingRoutes: readonly OperationRoute[] = [
  serveListEventSourceMappings,
  serveGetEventSourceMapping,
  serveUpdateEventSourceMapping,
  serveDeleteEventSourceMapping,
  serveCreateEventSourceMapping,
];

type Listed = StructureOf<(typeof listEventSourceMappings)['output']>;

function serveListEventSourceMappings(): ServedOperation {
  return serve(listEventSourceMappings, async (): Promise<Listed> => ({ EventSourceMappings: [] }));
}

function serveGetEventSourceMapping(): ServedOperation {
  return serve(getEventSourceMapping, refuse);
}

function serveUpdateEventSourceMapping(): ServedOperation {
  return serve(updateEventSourceMapping, refuse);
}

function serveDeleteEventSourceMapping(): ServedOperation {
  return serve(deleteEventSourceMapping, refuse);
}

function serveCreateEventSourceMapping(): ServedOperation {
  return serve(createEventSourceMapping, async () => {
    throw invalidParameter(
      'Event source mappings are not supported by this server. Invoke the function from a consumer of the queue or stream.',
    );
  });
}

async function refuse(): Promise<never> {
  throw noSuchResource();
}
