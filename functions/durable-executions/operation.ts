import { present } from '#platform/present.ts';

import type { StructureOf, ValueOf } from '#functions-contract/shape.ts';
import type { eventType } from '#functions-contract/shapes/durable-history.ts';
import type {
  durableOperation,
  operationUpdate,
} from '#functions-contract/shapes/durable-operations.ts';

/** A program's update of an operation. */
export type OperationUpdate = StructureOf<typeof operationUpdate>;

export type OperationStatus = StructureOf<typeof durableOperation>['Status'];

/** As it goes over the wire, in either direction. */
export type ErrorObject = NonNullable<OperationUpdate['Error']>;

/** A part of an execution whose outcome is stored, so that a replay need not repeat it. */
export type DurableOperation = OperationBasics & OperationKind;

export interface OperationBasics extends OperationIdentity {
  readonly status: OperationStatus;
  /** Epoch milliseconds, like all times here. */
  readonly startedAt: number;
  readonly endedAt?: number;
  readonly result?: string;
  readonly error?: ErrorObject;
}

interface OperationIdentity {
  readonly id: string;
  readonly parentId?: string;
  readonly name?: string;
  readonly subType?: string;
}

export type OperationKind =
  | {
      readonly type: 'CONTEXT';
      /** Whether its operations are needed even after it has ended. */ readonly replayChildren: boolean;
    }
  | {
      readonly type: 'STEP';
      /** Attempts that were followed by a retry. */
      readonly attempt: number;
      readonly nextAttemptAt?: number;
    }
  | { readonly type: 'WAIT'; readonly seconds: number; readonly endsAt: number }
  | {
      readonly type: 'CALLBACK';
      readonly callbackId: string;
      readonly timeoutSeconds?: number;
      readonly timesOutAt?: number;
      readonly heartbeatSeconds?: number;
      readonly heartbeatDueAt?: number;
    }
  | {
      readonly type: 'CHAINED_INVOKE';
      readonly functionName: string;
      readonly tenantId?: string;
      readonly traceHeader?: string;
      /** JSON text. */
      readonly input?: string;
    };

export type OperationType = OperationKind['type'];

/** Whether it is in a final state. */
export function isOver({ status }: Pick<DurableOperation, 'status'>): boolean {
  return status !== 'STARTED' && status !== 'PENDING' && status !== 'READY';
}

/** Whether the execution can be suspended while it waits for it. */
function isAwaited({ type, status }: DurableOperation): boolean {
  if (type === 'STEP') return status === 'PENDING';
  return type !== 'CONTEXT' && status === 'STARTED';
}

/** When its timer is due; undefined when it has none. */
export function dueAt(operation: DurableOperation): number | undefined {
  if (!isAwaited(operation)) return undefined;
  switch (operation.type) {
    case 'STEP':
      return operation.nextAttemptAt;
    case 'WAIT':
      return operation.endsAt;
    case 'CALLBACK': {
      const times = [operation.timesOutAt, operation.heartbeatDueAt];
      return minimum(times.filter((time) => time !== undefined));
    }
    case 'CHAINED_INVOKE':
    case 'CONTEXT':
      return undefined;
  }
}

function minimum(times: readonly number[]): number | undefined {
  return times.length === 0 ? undefined : Math.min(...times);
}

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
    ...present({ name, subType, parentId }),
  };
  return { type, at, operation, ...facts };
}
