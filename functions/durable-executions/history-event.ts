import type { eventType } from '#functions-contract/shapes/durable-history.ts';
import type { ValueOf } from '#functions-contract/shape.ts';

import type { ErrorObject, OperationIdentity } from './operation.ts';

export type EventType = ValueOf<typeof eventType>;

/** Something that happened in an execution. Which members there are follows from its type. */
export interface HistoryEvent {
  readonly type: EventType;
  /** Epoch milliseconds. */
  readonly at: number;
  readonly operation?: OperationIdentity;
  /** JSON text that something began with. */
  readonly input?: string;
  /** Text that something came to. */
  readonly result?: string;
  readonly error?: ErrorObject;
  /** How long something takes at most, or shall take. */
  readonly seconds?: number;
  readonly endsAt?: number;
  readonly attempt?: number;
  readonly delaySeconds?: number;
  readonly callbackId?: string;
  readonly heartbeatSeconds?: number;
  readonly functionName?: string;
  readonly tenantId?: string;
  /** When the run began that has ended now. */
  readonly startedAt?: number;
  readonly requestId?: string;
}

/** An event about an operation. */
export function eventOf(
  type: EventType,
  { id, name, subType, parentId }: OperationIdentity,
  at: number,
  facts: Omit<HistoryEvent, 'type' | 'operation' | 'at'> = {},
): HistoryEvent {
  const operation: OperationIdentity = {
    id,
    ...(name === undefined ? {} : { name }),
    ...(subType === undefined ? {} : { subType }),
    ...(parentId === undefined ? {} : { parentId }),
  };
  return { type, at, operation, ...facts };
}
