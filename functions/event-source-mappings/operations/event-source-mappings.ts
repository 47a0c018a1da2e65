/** Nothing runs functions from queues and streams here: tools that look for mappings find none, and none can be made. */
import {
  createEventSourceMapping,
  deleteEventSourceMapping,
  getEventSourceMapping,
  listEventSourceMappings,
  updateEventSourceMapping,
} from '#functions-contract/operations/event-source-mappings.ts';
import type { StructureOf } from '#functions-contract/shape.ts';

import { serve, type ServedOperation } from '../../http/call.ts';
import { invalidParameter } from '../../errors/functions-error.ts';
import { noSuchResource } from '../../errors/no-such-resource.ts';

type Listed = StructureOf<(typeof listEventSourceMappings)['output']>;

export function serveListEventSourceMappings(): ServedOperation {
  return serve(listEventSourceMappings, async (): Promise<Listed> => ({ EventSourceMappings: [] }));
}

export function serveGetEventSourceMapping(): ServedOperation {
  return serve(getEventSourceMapping, refuse);
}

export function serveUpdateEventSourceMapping(): ServedOperation {
  return serve(updateEventSourceMapping, refuse);
}

export function serveDeleteEventSourceMapping(): ServedOperation {
  return serve(deleteEventSourceMapping, refuse);
}

export function serveCreateEventSourceMapping(): ServedOperation {
  return serve(createEventSourceMapping, async () => {
    throw invalidParameter(
      'Event source mappings are not supported by this server. Invoke the function from a consumer of the queue or stream.',
    );
  });
}

async function refuse(): Promise<never> {
  throw noSuchResource();
}
