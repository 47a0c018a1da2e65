import type { createEventSourceMapping } from '#functions-contract/operations/event-source-mappings.ts';
import type { StructureOf } from '#functions-contract/shape.ts';
import { present } from '#platform/present.ts';

import { functionArn, type AccountRegion } from '../model/function-name.ts';

/** A queue whose messages invoke a function. */
export interface EventSourceMapping {
  /** Of its row. */
  readonly id: number;
  readonly uuid: string;
  readonly eventSourceArn: string;
  readonly functionName: string;
  readonly qualifier: string | undefined;
  readonly enabled: boolean;
  readonly batchSize: number;
  /** Seconds to wait for a full batch. */
  readonly windowSeconds: number;
  /** Patterns in JSON; none: every message invokes the function. */
  readonly filters: readonly string[];
  /** Whether the response of the function names the messages that failed. */
  readonly reportsFailures: boolean;
  readonly maximumConcurrency: number | undefined;
  readonly tags: Readonly<Record<string, string>>;
  /** Of the last batch; undefined before the first. */
  readonly lastResult: string | undefined;
  /** Epoch milliseconds. */
  readonly modifiedAt: number;
}

/** Whether the messages of a group of the queue are processed in their order. */
export function isFifo({ eventSourceArn }: Pick<EventSourceMapping, 'eventSourceArn'>): boolean {
  return eventSourceArn.endsWith('.fifo');
}

/** The transitions are what operations answer; reads see the states that they lead to. */
type State = 'Creating' | 'Updating' | 'Enabling' | 'Disabling' | 'Deleting';

type Represented = StructureOf<(typeof createEventSourceMapping)['output']>;

export function mappingArn({ region, accountId }: AccountRegion, uuid: string): string {
  return `arn:aws:lambda:${region}:${accountId}:event-source-mapping:${uuid}`;
}

/** The UUID in an ARN that satisfies the contract's pattern; undefined for another account or region. */
export function mappingIdIn(accountRegion: AccountRegion, arn: string): string | undefined {
  const uuid = arn.slice(arn.lastIndexOf(':') + 1);
  return mappingArn(accountRegion, uuid) === arn ? uuid : undefined;
}

export function representMapping(
  mapping: Omit<EventSourceMapping, 'id'>,
  accountRegion: AccountRegion,
  state?: State,
): Represented {
  const { uuid, functionName, qualifier, filters, maximumConcurrency, lastResult } = mapping;
  return {
    UUID: uuid,
    EventSourceMappingArn: mappingArn(accountRegion, uuid),
    EventSourceArn: mapping.eventSourceArn,
    FunctionArn: functionArn(accountRegion, functionName, qualifier),
    BatchSize: mapping.batchSize,
    MaximumBatchingWindowInSeconds: mapping.windowSeconds,
    FunctionResponseTypes: mapping.reportsFailures ? ['ReportBatchItemFailures'] : [],
    LastModified: mapping.modifiedAt / 1000,
    State: state ?? (mapping.enabled ? 'Enabled' : 'Disabled'),
    StateTransitionReason: 'USER_INITIATED',
    ...present({
      LastProcessingResult: lastResult,
      FilterCriteria:
        filters.length === 0 ? undefined : { Filters: filters.map((Pattern) => ({ Pattern })) },
      ScalingConfig:
        maximumConcurrency === undefined ? undefined : { MaximumConcurrency: maximumConcurrency },
    }),
  };
}
