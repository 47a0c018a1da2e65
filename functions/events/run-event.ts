import { readCommitted } from '#platform/database/database.ts';
import { present } from '#platform/present.ts';

import { wholeOutcome } from '../environments/execution-environment.ts';
import { FunctionsError } from '../errors/functions-error.ts';
import type { Invocable } from '../invocation/invocation-store.ts';
import { runFunction } from '../invocation/run-function.ts';
import { chosenBy, findTarget } from '../invocation/targets.ts';
import { functionArn } from '../model/function-name.ts';
import { decideEvent, isTooOld, type EventAttempt, type EventRefusal } from './decide-event.ts';
import { findHandling } from './event-invoke-config-store.ts';
import { claimEvent, putOffEvent, removeEvent } from './event-store.ts';
import { type EventPorts, usualHandling, type EventHandling, type StoredEvent } from './event.ts';
import { outboxMessages, type FinishedEvent } from './outbox-message.ts';
import { insertMessage } from './outbox-store.ts';

/**
 * One attempt at a due event, with the function's current configuration; resolves when the outcome is durable. If another server
 * has claimed the event meanwhile, nothing is written: the outcome of that claim counts.
 */
export async function runEvent(
  ports: EventPorts,
  due: { readonly id: number; readonly due_at: number },
  stop: AbortSignal,
): Promise<void> {
  const { database, clock, random, serverId } = ports;
  const event = await database.write(
    (sql) => claimEvent(sql, due, serverId, clock.now()),
    readCommitted,
  );
  if (!event) return;
  const { functionName: name, functionId, qualifier } = event;
  const { found, handling } = await database.read(async (sql) => ({
    found: await findTarget(sql, { name, qualifier }),
    handling: (await findHandling(sql, functionId, qualifier)) ?? usualHandling,
  }));
  const target = found && chosenBy(found, random.fraction());
  if (isTooOld(event, handling, clock.now())) {
    const { attempts } = event;
    return finishEvent(ports, target, handling, { event, condition: 'EventAgeExceeded', attempts });
  }
  const attempt = await attemptAt(ports, event, target);
  // A failure caused by the shutdown of this server does not count: the next start releases the claim.
  if (stop.aborted && !(attempt.kind === 'ran' && !attempt.result.failed)) return;
  const decision = decideEvent(event, attempt, handling, ports.timings, clock.now());
  if (decision.kind === 'again') {
    await database.write((sql) => putOffEvent(sql, event, decision), readCommitted);
    return;
  }
  await finishEvent(ports, target, handling, {
    event,
    ...decision,
    ...(attempt.kind === 'ran' ? { result: attempt.result } : { refusal: attempt.refusal }),
  });
}

async function attemptAt(
  ports: EventPorts,
  event: StoredEvent,
  target: Invocable | undefined,
): Promise<EventAttempt> {
  if (target?.reservedConcurrency === 0) {
    return {
      kind: 'blocked',
      condition: 'ZeroReservedConcurrency',
      refusal: { status: 429, message: 'Rate Exceeded.' },
    };
  }
  const { requestId, functionName, qualifier, clientContext, tenantId, traceHeader } = event;
  if (!target) {
    const missing = functionArn(ports.settings, functionName, qualifier);
    return { kind: 'not-run', refusal: { status: 404, message: `Function not found: ${missing}` } };
  }
  try {
    const { outcome, traceHeader: carried } = await runFunction(ports, target, {
      requestId,
      functionArn: functionArn(ports.settings, functionName, qualifier),
      payload: Buffer.from(event.payload),
      ...present({ clientContext, tenantId, traceHeader }),
    });
    const { kind, payload } = await wholeOutcome(outcome);
    const { version } = target;
    const failed = kind === 'failed';
    return { kind: 'ran', result: { failed, payload, version, traceHeader: carried } };
  } catch (error) {
    if (error instanceof FunctionsError && error.code === 'RecursiveInvocationException') {
      const { status, message } = error;
      return { kind: 'blocked', condition: 'RecursiveInvocation', refusal: { status, message } };
    }
    return { kind: 'not-run', refusal: refusalOf(error, ports) };
  }
}

/** Any other error is internal: it is logged, and the event is retried later. */
function refusalOf(error: unknown, { onError }: EventPorts): EventRefusal {
  if (error instanceof FunctionsError) return { status: error.status, message: error.message };
  onError(error);
  return { status: 500, message: 'Internal error while running the function.' };
}

/** Removes the event and stores the messages about it in one transaction. */
async function finishEvent(
  ports: EventPorts,
  target: Invocable | undefined,
  handling: EventHandling,
  finished: Pick<FinishedEvent, 'event' | 'condition' | 'attempts'> & Partial<FinishedEvent>,
): Promise<void> {
  const { database, clock, settings, messages } = ports;
  const now = clock.now();
  const deadLetterArn =
    finished.condition === 'Success' ? undefined : await deadLetterOf(ports, target);
  const due = outboxMessages(
    { result: undefined, refusal: undefined, ...finished, at: now },
    handling,
    deadLetterArn,
    settings,
  );
  await database.write(async (sql) => {
    if (!(await removeEvent(sql, finished.event))) return;
    for (const message of due) await insertMessage(sql, message, finished.event.functionId, now);
  }, readCommitted);
  if (due.length > 0) messages.wake();
}

async function deadLetterOf(
  { versionSpecs }: EventPorts,
  target: Invocable | undefined,
): Promise<string | undefined> {
  const spec = target && (await versionSpecs.of(target));
  return spec?.configuration.DeadLetterTargetArn;
}
