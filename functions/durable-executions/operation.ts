import type {
  durableOperation,
  operationUpdate,
} from '#functions-contract/shapes/durable-operations.ts';
import type { StructureOf } from '#functions-contract/shape.ts';

/** What the program says of an operation. */
export type OperationUpdate = StructureOf<typeof operationUpdate>;
export type OperationStatus = StructureOf<typeof durableOperation>['Status'];
/** As it goes over the wire, in either direction. */
export type ErrorObject = NonNullable<OperationUpdate['Error']>;

/** A piece of an execution that the service remembers, so that a replay need not do it again. */
export type DurableOperation = OperationBasics & OperationKind;

export interface OperationBasics extends OperationIdentity {
  readonly status: OperationStatus;
  /** Epoch milliseconds, like all times here. */
  readonly startedAt: number;
  readonly endedAt?: number;
  readonly result?: string;
  readonly error?: ErrorObject;
}

export interface OperationIdentity {
  readonly id: string;
  readonly parentId?: string;
  readonly name?: string;
  readonly subType?: string;
}

export type OperationKind =
  | { readonly type: 'CONTEXT'; /** Told even when it is over. */ readonly replayChildren: boolean }
  | {
      readonly type: 'STEP';
      /** Attempts that were given up for another. */
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

/** Whether nothing changes it any more. */
export function isOver({ status }: Pick<DurableOperation, 'status'>): boolean {
  return status !== 'STARTED' && status !== 'PENDING' && status !== 'READY';
}

/** Whether the execution can wait for it without being run. */
export function isAwaited({ type, status }: DurableOperation): boolean {
  if (type === 'STEP') return status === 'PENDING';
  return type !== 'CONTEXT' && status === 'STARTED';
}

/** When time changes it by itself; undefined when it does not. */
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
