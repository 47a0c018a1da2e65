import { present } from '#platform/present.ts';

import { invalidParameter } from '../errors/functions-error.ts';
import {
  eventOf,
  type HistoryEvent,
  isOver,
  type DurableOperation,
  type OperationBasics,
  type OperationKind,
  type OperationUpdate,
} from './operation.ts';

/** An operation after a change, and the events for the execution's history. */
export interface Changed {
  readonly operation: DurableOperation;
  readonly events: readonly HistoryEvent[];
}

export interface UpdateContext {
  readonly now: number;
  /** Creates the id with which a callback is completed. */
  readonly newCallbackId: () => string;
}

/**
 * Applies an update to an operation, or starts a new one. Steps and contexts may end before their start has been checkpointed: the
 * program does not wait for the response to the start.
 */
export function applyOperationUpdate(
  current: DurableOperation | undefined,
  update: OperationUpdate,
  context: UpdateContext,
): Changed {
  if (current && current.type !== update.Type) {
    throw invalidParameter(
      `The operation ${update.Id} is a ${current.type} and cannot be updated as a ${update.Type}.`,
    );
  }
  switch (update.Type) {
    case 'STEP':
      return applyToStep(current, update, context);
    case 'CONTEXT':
      return applyToContext(current, update, context);
    case 'WAIT':
      return applyToWait(current, update, context);
    case 'CALLBACK':
      return started(current, update, context, () => callbackOf(update, context));
    case 'CHAINED_INVOKE':
      return started(current, update, context, () => chainedOf(update));
    case 'EXECUTION':
      throw new Error('An execution is no operation of its own.');
  }
}

function applyToStep(
  current: DurableOperation | undefined,
  update: OperationUpdate,
  context: UpdateContext,
): Changed {
  const { now } = context;
  if (update.Action === 'START') {
    if (current && current.status !== 'READY') throw cannot(update, current);
    if (current?.type !== 'STEP') return started(undefined, update, context, newStep);
    // The result of the last attempt stays: a step that polls continues from it.
    const { nextAttemptAt: _, ...rest } = current;
    const operation: DurableOperation = { ...rest, status: 'STARTED' };
    return { operation, events: [eventOf('StepStarted', operation, now)] };
  }
  if (current && current.status !== 'STARTED' && current.status !== 'READY') {
    throw cannot(update, current);
  }
  const before =
    current?.type === 'STEP' ? undefined : started(undefined, update, context, newStep);
  const step = current ?? before?.operation;
  if (step?.type !== 'STEP') throw cannot(update, current);
  const attempt = step.attempt + 1;
  const after = (changed: DurableOperation, event: HistoryEvent): Changed => ({
    operation: changed,
    events: [...(before?.events ?? []), event],
  });
  const { result: _result, error: _error, nextAttemptAt: _next, ...unended } = step;
  switch (update.Action) {
    case 'SUCCEED': {
      const result = resultOf(update);
      return after(
        { ...unended, ...result, status: 'SUCCEEDED', endedAt: now },
        eventOf('StepSucceeded', step, now, { attempt, ...result }),
      );
    }
    case 'FAIL': {
      const error = errorOf(update);
      return after(
        { ...unended, error, status: 'FAILED', endedAt: now },
        eventOf('StepFailed', step, now, { attempt, error }),
      );
    }
    case 'RETRY': {
      const delaySeconds = update.StepOptions?.NextAttemptDelaySeconds;
      if (delaySeconds === undefined) {
        throw invalidParameter('RETRY of a step requires NextAttemptDelaySeconds.');
      }
      if (update.Error && update.Payload !== undefined) {
        throw invalidParameter('RETRY of a step takes an Error or a Payload, not both.');
      }
      const nextAttemptAt = now + delaySeconds * 1000;
      const left = update.Error ? { error: update.Error } : resultOf(update);
      return after(
        { ...unended, ...left, status: 'PENDING', attempt, nextAttemptAt },
        eventOf(update.Error ? 'StepFailed' : 'StepSucceeded', step, now, {
          attempt,
          delaySeconds,
          ...left,
        }),
      );
    }
    case 'CANCEL':
      throw cannot(update, current);
  }
}

function newStep(): OperationKind {
  return { type: 'STEP', attempt: 0 };
}

function applyToContext(
  current: DurableOperation | undefined,
  update: OperationUpdate,
  context: UpdateContext,
): Changed {
  const { now } = context;
  if (update.Action === 'START') return started(current, update, context, newContext);
  if (current && isOver(current)) throw cannot(update, current);
  const before = current ? undefined : started(undefined, update, context, newContext);
  const open = current ?? before?.operation;
  if (open?.type !== 'CONTEXT') throw cannot(update, current);
  const replayChildren = update.ContextOptions?.ReplayChildren ?? open.replayChildren;
  const earlier = before?.events ?? [];
  switch (update.Action) {
    case 'SUCCEED': {
      const result = resultOf(update);
      return {
        operation: { ...open, ...result, replayChildren, status: 'SUCCEEDED', endedAt: now },
        events: [...earlier, eventOf('ContextSucceeded', open, now, result)],
      };
    }
    case 'FAIL': {
      const error = errorOf(update);
      return {
        operation: { ...open, error, replayChildren, status: 'FAILED', endedAt: now },
        events: [...earlier, eventOf('ContextFailed', open, now, { error })],
      };
    }
    case 'RETRY':
    case 'CANCEL':
      throw cannot(update, current);
  }
}

function newContext(): OperationKind {
  return { type: 'CONTEXT', replayChildren: false };
}

function applyToWait(
  current: DurableOperation | undefined,
  update: OperationUpdate,
  context: UpdateContext,
): Changed {
  const { now } = context;
  if (update.Action !== 'CANCEL') {
    return started(current, update, context, () => {
      const seconds = update.WaitOptions?.WaitSeconds;
      if (seconds === undefined) throw invalidParameter('A wait requires WaitSeconds.');
      return { type: 'WAIT', seconds, endsAt: now + seconds * 1000 };
    });
  }
  if (!current || isOver(current)) throw cannot(update, current);
  const { Error: error } = update;
  return {
    operation: { ...current, status: 'CANCELLED', endedAt: now },
    events: [eventOf('WaitCancelled', current, now, error ? { error } : {})],
  };
}

function callbackOf(
  { CallbackOptions }: OperationUpdate,
  { now, newCallbackId }: UpdateContext,
): OperationKind {
  const { TimeoutSeconds = 0, HeartbeatTimeoutSeconds = 0 } = CallbackOptions ?? {};
  return {
    type: 'CALLBACK',
    callbackId: newCallbackId(),
    ...(TimeoutSeconds === 0
      ? {}
      : { timeoutSeconds: TimeoutSeconds, timesOutAt: now + TimeoutSeconds * 1000 }),
    ...(HeartbeatTimeoutSeconds === 0
      ? {}
      : {
          heartbeatSeconds: HeartbeatTimeoutSeconds,
          heartbeatDueAt: now + HeartbeatTimeoutSeconds * 1000,
        }),
  };
}

function chainedOf({ ChainedInvokeOptions: options, Payload }: OperationUpdate): OperationKind {
  if (!options)
    throw invalidParameter('An invocation of another function requires a FunctionName.');
  const { FunctionName: functionName, TenantId: tenantId, XAmznTraceId: traceHeader } = options;
  return {
    type: 'CHAINED_INVOKE',
    functionName,
    ...present({ tenantId, traceHeader, input: Payload }),
  };
}

/** Starts a new operation; it must not exist yet. Operations that only the service ends have no other update. */
function started(
  current: DurableOperation | undefined,
  update: OperationUpdate,
  { now }: UpdateContext,
  make: () => OperationKind,
): Changed {
  const implied = update.Type === 'STEP' || update.Type === 'CONTEXT';
  if (current || (update.Action !== 'START' && !implied)) throw cannot(update, current);
  const basics: OperationBasics = {
    id: update.Id,
    ...present({ parentId: update.ParentId, name: update.Name, subType: update.SubType }),
    status: 'STARTED',
    startedAt: now,
  };
  const operation: DurableOperation = { ...basics, ...make() };
  return { operation, events: [startOf(operation)] };
}

function startOf(operation: DurableOperation): HistoryEvent {
  const at = operation.startedAt;
  switch (operation.type) {
    case 'STEP':
      return eventOf('StepStarted', operation, at);
    case 'CONTEXT':
      return eventOf('ContextStarted', operation, at);
    case 'WAIT': {
      const { seconds, endsAt } = operation;
      return eventOf('WaitStarted', operation, at, { seconds, endsAt });
    }
    case 'CALLBACK': {
      const { callbackId, timeoutSeconds, heartbeatSeconds } = operation;
      return eventOf('CallbackStarted', operation, at, {
        callbackId,
        ...present({ seconds: timeoutSeconds, heartbeatSeconds }),
      });
    }
    case 'CHAINED_INVOKE': {
      const { functionName, tenantId, input } = operation;
      return eventOf('ChainedInvokeStarted', operation, at, {
        functionName,
        ...present({ tenantId, input }),
      });
    }
  }
}

function resultOf({ Payload, Error: error, Action }: OperationUpdate): { result?: string } {
  if (error) throw invalidParameter(`The action ${Action} takes no Error.`);
  return Payload === undefined ? {} : { result: Payload };
}

function errorOf({ Payload, Error: error, Action }: OperationUpdate): NonNullable<typeof error> {
  if (Payload !== undefined) throw invalidParameter(`The action ${Action} takes no Payload.`);
  return error ?? {};
}

function cannot({ Action, Type, Id }: OperationUpdate, current?: DurableOperation): Error {
  return invalidParameter(
    current
      ? `Action ${Action} is not possible for ${Type} ${Id}: its status is ${current.status}.`
      : `Action ${Action} is not possible for ${Type} ${Id}: it was not started.`,
  );
}
