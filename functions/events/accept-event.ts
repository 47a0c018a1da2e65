import { present } from '#platform/present.ts';

import { eventRequestBytesMax } from '#functions-contract/limits.ts';

import { latest } from '../configuration/function-record.ts';
import type { VersionSpec } from '../environments/version-spec.ts';
import { FunctionsError } from '../errors/functions-error.ts';
import type { Invocable } from '../invocation/invocation-store.ts';
import { checkPayload, emptyEvent, readClientContext } from '../invocation/invoke-input.ts';
import {
  awaitActivation,
  type RunPorts,
  checkInvocable,
  type Invocation,
} from '../invocation/run-function.ts';
import { checkAddress } from '../invocation/targets.ts';
import { functionArn, readFunctionName } from '../model/function-name.ts';
import type { SystemPorts } from '../ports/system-ports.ts';
import { functionNotFound } from '../versions/find-function.ts';
import type { EventQueue } from './event-queue.ts';

/** An event as a caller sends it. */
interface HandedOver {
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

/** The input that all operations that invoke a function have in common. */
interface InvocationInput {
  readonly FunctionName: string;
  readonly Qualifier?: string | undefined;
  readonly InvocationType?: 'Event' | 'RequestResponse' | 'DryRun' | undefined;
  readonly Payload?: Uint8Array | undefined;
  readonly ClientContext?: string | undefined;
  readonly TenantId?: string | undefined;
}

/** An invocation whose input is valid and whose target exists. */
interface RequestedInvocation {
  readonly target: Invocable;
  /** Undefined while the version has never been provisioned. */
  readonly spec: VersionSpec | undefined;
  /** For an asynchronous invocation, the event to store. */
  readonly event: HandedOver;
  /** For a synchronous invocation. */
  readonly invocation: Invocation;
}

/**
 * Reads and checks an invocation. `Event` and `DryRun` are checked against the function here, because the caller gets no later
 * error; `RequestResponse` is checked when the function runs.
 */
export async function readRequestedInvocation(
  {
    settings,
    targets,
    versionSpecs,
  }: Pick<SystemPorts, 'settings'> & Pick<RunPorts, 'targets' | 'versionSpecs'>,
  input: InvocationInput,
  {
    requestId,
    traceHeader,
  }: { readonly requestId: string; readonly traceHeader: string | undefined },
): Promise<RequestedInvocation> {
  const reference = readFunctionName(input.FunctionName, settings, input.Qualifier);
  const { name, qualifier } = reference;
  const payload = input.Payload ?? emptyEvent;
  checkPayload(payload);
  const clientContext = readClientContext(input.ClientContext);
  const target = await targets.find(reference);
  if (!target) throw functionNotFound(settings, name, qualifier ?? latest);
  const spec = await versionSpecs.of(target);
  const { InvocationType, TenantId: tenantId } = input;
  if (spec && (InvocationType === 'DryRun' || InvocationType === 'Event')) {
    checkAddress(spec, { tenantId, qualified: qualifier !== undefined });
  }
  if (InvocationType === 'DryRun') checkInvocable(target);
  const invocation: Invocation = {
    requestId,
    functionArn: functionArn(settings, name, qualifier),
    payload,
    ...present({ traceHeader, clientContext, tenantId }),
  };
  const event = { requestId, qualifier, payload, clientContext, tenantId, traceHeader };
  return { target, spec, event, invocation };
}
