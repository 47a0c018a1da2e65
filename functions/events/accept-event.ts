import { eventRequestBytesMax } from '#functions-contract/limits.ts';

import { FunctionsError } from '../errors/functions-error.ts';
import type { Invocable } from '../invocation/invocation-store.ts';
import { refuseUnlessInvocable, type RunPorts } from '../invocation/run-function.ts';
import type { NewEvent } from '../invocation/read-invocation.ts';
import { currentTraceHeader } from '../logs/trace-header.ts';
import type { EventQueue } from './event-queue.ts';

/** Stores an event to run later; resolves when it is durable. */
export async function acceptEvent(
  { events, inactivity }: Pick<RunPorts, 'inactivity'> & { readonly events: EventQueue },
  target: Invocable,
  { payload, ...event }: NewEvent,
): Promise<void> {
  if (payload.length > eventRequestBytesMax) {
    throw new FunctionsError(
      'RequestEntityTooLargeException',
      `Request must be smaller than ${eventRequestBytesMax} bytes for the InvokeFunction operation`,
    );
  }
  await refuseUnlessInvocable(inactivity, target);
  await events.accept({
    ...event,
    traceHeader: event.traceHeader ?? currentTraceHeader(),
    functionId: target.functionId,
    payload: Buffer.from(payload).toString(),
  });
}
