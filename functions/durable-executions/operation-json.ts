import type { durableOperation } from '#functions-contract/shapes/durable-operations.ts';
import type { StructureOf } from '#functions-contract/shape.ts';

import type { Execution } from './execution.ts';
import type { DurableOperation } from './operation.ts';

export type RepresentedOperation = StructureOf<typeof durableOperation>;

/** Epoch seconds, as in responses. */
export function wireSeconds(milliseconds: number): number {
  return milliseconds / 1000;
}

/** An operation as in responses; the event of a run has other timestamps. */
export function representOperation(operation: DurableOperation): RepresentedOperation {
  return operationWith(operation, wireSeconds);
}

/** In the event of a run, timestamps are text. */
export function operationForProgram(operation: DurableOperation): object {
  return operationWith<string>(operation, isoTime);
}

/** The execution is the first of its own operations, and contains its input. */
export function representItself(execution: Execution, input: string): RepresentedOperation {
  return itselfWith(execution, input, wireSeconds);
}

export function itselfForProgram(execution: Execution, input: string): object {
  return itselfWith<string>(execution, input, isoTime);
}

function isoTime(milliseconds: number): string {
  return new Date(milliseconds).toISOString();
}

type Time<T> = (milliseconds: number) => T;

function itselfWith<T>({ key, name, startedAt }: Execution, input: string, time: Time<T>) {
  return {
    Id: key,
    Name: name,
    Type: 'EXECUTION' as const,
    StartTimestamp: time(startedAt),
    Status: 'STARTED' as const,
    ExecutionDetails: { InputPayload: input },
  };
}

function operationWith<T>(operation: DurableOperation, time: Time<T>) {
  const { id, parentId, name, type, subType, startedAt, endedAt, status } = operation;
  return {
    Id: id,
    ...(parentId === undefined ? {} : { ParentId: parentId }),
    ...(name === undefined ? {} : { Name: name }),
    Type: type,
    ...(subType === undefined ? {} : { SubType: subType }),
    StartTimestamp: time(startedAt),
    ...(endedAt === undefined ? {} : { EndTimestamp: time(endedAt) }),
    Status: status,
    ...detailsWith(operation, time),
  };
}

function detailsWith<T>(operation: DurableOperation, time: Time<T>) {
  const { result, error } = operation;
  const outcome = {
    ...(result === undefined ? {} : { Result: result }),
    ...(error === undefined ? {} : { Error: error }),
  };
  switch (operation.type) {
    case 'CONTEXT':
      return {
        ContextDetails: {
          ...(operation.replayChildren ? { ReplayChildren: true } : {}),
          ...outcome,
        },
      };
    case 'STEP': {
      const { attempt, nextAttemptAt } = operation;
      const next = nextAttemptAt === undefined ? {} : { NextAttemptTimestamp: time(nextAttemptAt) };
      return { StepDetails: { Attempt: attempt, ...next, ...outcome } };
    }
    case 'WAIT':
      return { WaitDetails: { ScheduledEndTimestamp: time(operation.endsAt) } };
    case 'CALLBACK':
      return { CallbackDetails: { CallbackId: operation.callbackId, ...outcome } };
    case 'CHAINED_INVOKE':
      return { ChainedInvokeDetails: outcome };
  }
}
