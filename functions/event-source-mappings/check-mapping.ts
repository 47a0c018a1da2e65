import { withDefaults } from '#functions-contract/defaults.ts';
import {
  createEventSourceMapping,
  type updateEventSourceMapping,
} from '#functions-contract/operations/event-source-mappings.ts';
import type { StructureOf } from '#functions-contract/shape.ts';
import type { Sql } from '#platform/database/database.ts';

import type { FunctionVersion } from '../configuration/function-record.ts';
import type { ConfiguredResources } from '../configured-resources/configured-resources.ts';
import { declarationHint } from '../configured-resources/resource-kinds.ts';
import { FunctionsError, invalidParameter } from '../errors/functions-error.ts';
import type { SystemPorts } from '../ports/system-ports.ts';
import { findReferred } from '../versions/find-function.ts';
import { parseEventPattern } from './event-pattern.ts';
import { isFifo, type EventSourceMapping } from './event-source-mapping.ts';
import { countMappings, findMappingOf } from './event-source-mapping-store.ts';
import { messagesOfRequestMax, visibilitySeconds } from './queue-client.ts';

/** Event source mappings: each enabled one has a connection of its own. */
const mappingsMax = 500;
/** Filters of an event source mapping. */
const filtersMax = 5;
/** Time that a caller who creates a mapping waits for a queue that does not answer. */
const visibilityPatienceMilliseconds = 2000;

type CreateInput = StructureOf<(typeof createEventSourceMapping)['input']>;
type UpdateInput = StructureOf<(typeof updateEventSourceMapping)['input']>;
type Settings = Pick<
  EventSourceMapping,
  'enabled' | 'batchSize' | 'windowSeconds' | 'filters' | 'reportsFailures' | 'maximumConcurrency'
>;

export function newMappingSettings(input: CreateInput): Settings {
  const defaults = withDefaults(createEventSourceMapping.input, {});
  return mappingSettings(input, {
    enabled: defaults.Enabled,
    batchSize: defaults.BatchSize,
    windowSeconds: defaults.MaximumBatchingWindowInSeconds,
    filters: [],
    reportsFailures: false,
    maximumConcurrency: undefined,
  });
}

/** An empty FilterCriteria or ScalingConfig removes what there was. */
export function mappingSettings(input: CreateInput | UpdateInput, before: Settings): Settings {
  const { FilterCriteria, FunctionResponseTypes, ScalingConfig } = input;
  return {
    enabled: input.Enabled ?? before.enabled,
    batchSize: input.BatchSize ?? before.batchSize,
    windowSeconds: input.MaximumBatchingWindowInSeconds ?? before.windowSeconds,
    filters: FilterCriteria
      ? (FilterCriteria.Filters ?? []).map(({ Pattern = '' }) => Pattern)
      : before.filters,
    reportsFailures: FunctionResponseTypes
      ? FunctionResponseTypes.length > 0
      : before.reportsFailures,
    maximumConcurrency: ScalingConfig
      ? ScalingConfig.MaximumConcurrency
      : before.maximumConcurrency,
  };
}

/** Refuses settings that do not fit each other or the queue. */
export function checkMappingSettings(
  mapping: Settings & { readonly eventSourceArn: string },
): void {
  const { batchSize, windowSeconds, filters } = mapping;
  if (isFifo(mapping)) {
    if (batchSize > messagesOfRequestMax) {
      throw invalidParameter('Maximum batch size of a FIFO queue is 10.');
    }
    if (windowSeconds > 0) {
      throw invalidParameter('Batching window is not supported for FIFO queues.');
    }
  }
  if (batchSize > messagesOfRequestMax && windowSeconds === 0) {
    throw invalidParameter(
      'Maximum batch window in seconds must be greater than 0 if maximum batch size is greater than 10',
    );
  }
  if (filters.length > filtersMax) {
    throw invalidParameter(`The number of filters exceeds the limit of ${filtersMax}.`);
  }
  if (!filters.every(parseEventPattern)) {
    throw invalidParameter('Invalid filter pattern definition.');
  }
}

/** The ARN of a configured queue that can be received from. */
export function checkQueue(
  { targets }: Pick<ConfiguredResources, 'targets'>,
  arn: string | undefined,
): string {
  if (arn === undefined) throw invalidParameter('Unrecognized event source.');
  if (arn.split(':')[2] !== 'sqs') {
    throw invalidParameter(
      'Unrecognized event source, must be an SQS queue. Streams and other event sources are not supported by this server.',
    );
  }
  const target = targets.get(arn);
  if (!target) {
    throw invalidParameter(
      `The queue ${arn} is not declared on this server. ${declarationHint('target', arn)}`,
    );
  }
  if (target.kind !== 'endpoint') {
    throw invalidParameter(
      `The queue ${arn} cannot be received from: it is declared with "${target.kind}". Declare it with the "endpoint" of a service that is compatible with SQS.`,
    );
  }
  return arn;
}

export async function checkFunction(
  sql: Sql,
  { functionName: name, qualifier }: Pick<EventSourceMapping, 'functionName' | 'qualifier'>,
): Promise<FunctionVersion> {
  const version = await findReferred(sql, { name, qualifier });
  if (!version) throw invalidParameter('Function does not exist');
  return version;
}

interface VisibilityPorts extends Pick<SystemPorts, 'database' | 'clock'> {
  readonly configured: Pick<ConfiguredResources, 'targets'>;
}

/**
 * Refuses a queue that may give a message to others while the function still processes it. One that does not say how long it hides messages
 * passes: it may start after this server.
 */
export async function checkVisibility(
  { database, clock, configured }: VisibilityPorts,
  mapping: Pick<EventSourceMapping, 'eventSourceArn' | 'functionName' | 'qualifier'>,
): Promise<void> {
  const { desired } = await database.read((sql) => checkFunction(sql, mapping));
  const { Timeout } = desired.configuration;
  const arn = mapping.eventSourceArn;
  const queue = configured.targets.get(arn);
  if (queue?.kind !== 'endpoint') return;
  const signal = AbortSignal.timeout(visibilityPatienceMilliseconds);
  const seconds = await visibilitySeconds({ queue, arn, now: clock.now(), signal }).catch(
    () => undefined,
  );
  if (seconds === undefined || seconds >= Timeout) return;
  throw invalidParameter(
    `Queue visibility timeout: ${seconds} seconds is less than Function timeout: ${Timeout} seconds`,
  );
}

/** One queue invokes a function, a version or an alias by one mapping. */
export async function checkOnlyMapping(
  sql: Sql,
  mapping: Omit<EventSourceMapping, 'id'>,
): Promise<void> {
  const other = await findMappingOf(sql, mapping);
  if (other && other.uuid !== mapping.uuid) {
    const { eventSourceArn, functionName, uuid } = other;
    throw new FunctionsError(
      'ResourceConflictException',
      `The event source arn (" ${eventSourceArn} ") and function (" ${functionName} ") provided mapping already exists. Please update or delete the existing mapping with UUID ${uuid}`,
    );
  }
}

export async function checkMappingCount(sql: Sql): Promise<void> {
  if ((await countMappings(sql)) < mappingsMax) return;
  throw invalidParameter(
    `The number of event source mappings has reached its limit of ${mappingsMax}.`,
  );
}
