import type { eventType } from '#functions-contract/shapes/durable-history.ts';
import type { ValueOf } from '#functions-contract/shape.ts';

import type { ErrorObject, OperationIdentity } from './operation.ts';

export type EventType = ValueOf<typeof eventType>;

/** An event of an execution's history. Its type determines which members it has. */
export interface HistoryEvent {
  readonly type: EventType;
  /** Epoch milliseconds. */
  readonly at: number;
  readonly operation?: OperationIdentity;
  /** JSON text of the input. */
  readonly input?: string;
  /** Text of the result. */
  readonly result?: string;
  readonly error?: ErrorObject;
  /** A timeout or a duration. */
  readonly seconds?: number;
  readonly endsAt?: number;
  readonly attempt?: number;
  readonly delaySeconds?: number;
  readonly callbackId?: string;
  readonly heartbeatSeconds?: number;
  readonly functionName?: string;
  readonly tenantId?: string;
  /** The start of the run that ended with this event. */
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
