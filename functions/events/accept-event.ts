import { eventRequestBytesMax } from '#functions-contract/limits.ts';

import { FunctionsError } from '../errors/functions-error.ts';
import type { Invocable } from '../invocation/invocation-store.ts';
import { awaitActivation, type RunPorts } from '../invocation/run-function.ts';
import type { EventQueue } from './event-queue.ts';

/** An event as a caller sends it. */
export interface HandedOver {
  readonly requestId: string;
  /** Version or alias as invoked. */
  readonly qualifier: string | undefined;
  /** JSON. */
  readonly payload: Uint8Array;
  readonly clientContext: string | undefined;
  readonly tenantId: string | undefined;
  readonly traceHeader: string | undefined;
}

/** Stores an event to run later; resolves when it is durable. */
export async function acceptEvent(
  { events, rest }: Pick<RunPorts, 'rest'> & { readonly events: EventQueue },
  target: Invocable,
  { payload, ...event }: HandedOver,
): Promise<void> {
  if (payload.length > eventRequestBytesMax) {
    throw new FunctionsError(
      'RequestEntityTooLargeException',
      `Request must be smaller than ${eventRequestBytesMax} bytes for the InvokeFunction operation`,
    );
  }
  await awaitActivation(rest, target);
  await events.accept({
    ...event,
    functionId: target.functionId,
    payload: Buffer.from(payload).toString(),
  });
}
