import { present } from '#platform/present.ts';

import { latest } from '../configuration/function-record.ts';
import type { VersionSpec } from '../environments/version-spec.ts';
import { functionArn, readFunctionName } from '../model/function-name.ts';
import type { SystemPorts } from '../ports/system-ports.ts';
import { functionNotFound } from '../versions/find-function.ts';
import type { Invocable } from './invocation-store.ts';
import { checkJsonPayload, emptyEvent, readClientContext } from './invoke-input.ts';
import { checkInvocable, type Invocation, type RunPorts } from './run-function.ts';
import { checkAddress } from './targets.ts';

/** An event as a caller sends it. */
export interface NewEvent {
  readonly requestId: string;
  /** Version or alias as invoked. */
  readonly qualifier: string | undefined;
  /** JSON. */
  readonly payload: Uint8Array;
  readonly clientContext: string | undefined;
  readonly tenantId: string | undefined;
  readonly traceHeader: string | undefined;
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
  readonly event: NewEvent;
  /** For a synchronous invocation. */
  readonly invocation: Invocation;
}

/**
 * Reads and checks an invocation. `Event` and `DryRun` are checked against the function here, because the caller gets no later
 * error; `RequestResponse` is checked when the function runs.
 */
export async function readInvocation(
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
  checkJsonPayload(payload);
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
