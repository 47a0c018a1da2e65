import {
  createEventSourceMapping,
  deleteEventSourceMapping,
  getEventSourceMapping,
  listEventSourceMappings,
  updateEventSourceMapping,
} from '#functions-contract/operations/event-source-mappings.ts';
import type { StructureOf } from '#functions-contract/shape.ts';
import type { Sql } from '#platform/database/database.ts';

import { noSuchResource } from '../errors/functions-error.ts';
import {
  bindOperation,
  type FunctionPorts,
  type OperationHandler,
  type CreateHandler,
} from '../http/call.ts';
import { pageOf, readNumberMarker } from '../json/paging.ts';
import { readFunctionName } from '../model/function-name.ts';
import { checkTags } from '../tags/tag-store.ts';
import {
  checkFunction,
  checkMappingSettings,
  checkOnlyMapping,
  checkQueue,
  checkMappingCount,
  checkVisibility,
  mappingSettings,
  newMappingSettings,
} from './check-mapping.ts';
import { representMapping, type EventSourceMapping } from './event-source-mapping.ts';
import {
  findMapping,
  insertMapping,
  listMappings,
  removeMapping,
  replaceMapping,
} from './event-source-mapping-store.ts';

/** Event source mappings. Their pollers read changes from the database. */
export const eventSourceMappingRoutes: readonly CreateHandler[] = [
  serveListEventSourceMappings,
  serveGetEventSourceMapping,
  serveCreateEventSourceMapping,
  serveUpdateEventSourceMapping,
  serveDeleteEventSourceMapping,
];

type Listed = StructureOf<(typeof listEventSourceMappings)['output']>;
type Mapping = StructureOf<(typeof getEventSourceMapping)['output']>;

function serveListEventSourceMappings({ database, settings }: FunctionPorts): OperationHandler {
  return bindOperation(listEventSourceMappings, async (input): Promise<Listed> => {
    const after = readNumberMarker(input.Marker);
    const filter = {
      eventSourceArn: input.EventSourceArn,
      function:
        input.FunctionName === undefined
          ? undefined
          : readFunctionName(input.FunctionName, settings),
    };
    const page = await pageOf(
      input.MaxItems,
      (limit) => database.read((sql) => listMappings(sql, filter, after, limit)),
      ({ id }) => [String(id)],
    );
    const EventSourceMappings = page.items.map((mapping) => representMapping(mapping, settings));
    return page.marker === undefined
      ? { EventSourceMappings }
      : { EventSourceMappings, NextMarker: page.marker };
  });
}

function serveGetEventSourceMapping({ database, settings }: FunctionPorts): OperationHandler {
  return bindOperation(getEventSourceMapping, async ({ UUID }): Promise<Mapping> => {
    const mapping = await database.read((sql) => findMappingOrRefuse(sql, UUID));
    return representMapping(mapping, settings);
  });
}

function serveCreateEventSourceMapping(ports: FunctionPorts): OperationHandler {
  const { database, settings, configured, clock, random } = ports;
  return bindOperation(createEventSourceMapping, async (input): Promise<Mapping> => {
    const { Tags: tags = {} } = input;
    await configured.refresh?.();
    const eventSourceArn = checkQueue(configured, input.EventSourceArn);
    const mapping = {
      ...newMappingSettings(input),
      uuid: random.id(),
      eventSourceArn,
      ...functionOf(input.FunctionName, ports),
      tags,
      lastResult: undefined,
      modifiedAt: clock.now(),
    };
    checkMappingSettings(mapping);
    checkTags(tags);
    await checkVisibility(ports, mapping);
    await database.write(async (sql) => {
      await checkFunction(sql, mapping);
      await checkOnlyMapping(sql, mapping);
      await checkMappingCount(sql);
      await insertMapping(sql, mapping);
    });
    return representMapping(mapping, settings, 'Creating');
  });
}

/** Absent members of the input do not change. */
function serveUpdateEventSourceMapping(ports: FunctionPorts): OperationHandler {
  const { database, settings, clock } = ports;
  return bindOperation(updateEventSourceMapping, async (input): Promise<Mapping> => {
    const modifiedAt = clock.now();
    const named = input.FunctionName === undefined ? {} : functionOf(input.FunctionName, ports);
    if (input.FunctionName !== undefined) {
      const { eventSourceArn } = await database.read((sql) => findMappingOrRefuse(sql, input.UUID));
      await checkVisibility(ports, { eventSourceArn, ...functionOf(input.FunctionName, ports) });
    }
    const { before, after } = await database.write(async (sql) => {
      const found = await findMappingOrRefuse(sql, input.UUID);
      const next = { ...found, ...mappingSettings(input, found), ...named, modifiedAt };
      checkMappingSettings(next);
      if (input.FunctionName !== undefined) {
        await checkFunction(sql, next);
        await checkOnlyMapping(sql, next);
      }
      await replaceMapping(sql, next);
      return { before: found, after: next };
    });
    if (before.enabled === after.enabled) return representMapping(after, settings, 'Updating');
    return representMapping(after, settings, after.enabled ? 'Enabling' : 'Disabling');
  });
}

function serveDeleteEventSourceMapping({ database, settings }: FunctionPorts): OperationHandler {
  return bindOperation(deleteEventSourceMapping, async ({ UUID }): Promise<Mapping> => {
    const mapping = await database.write(async (sql) => {
      const found = await findMappingOrRefuse(sql, UUID);
      await removeMapping(sql, found.id);
      return found;
    });
    return representMapping(mapping, settings, 'Deleting');
  });
}

function functionOf(
  text: string,
  { settings }: Pick<FunctionPorts, 'settings'>,
): Pick<EventSourceMapping, 'functionName' | 'qualifier'> {
  const { name, qualifier } = readFunctionName(text, settings);
  return { functionName: name, qualifier };
}

async function findMappingOrRefuse(sql: Sql, uuid: string): Promise<EventSourceMapping> {
  const mapping = await findMapping(sql, uuid);
  if (!mapping) throw noSuchResource();
  return mapping;
}
