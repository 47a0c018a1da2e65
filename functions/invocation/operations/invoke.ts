import { invoke } from '#functions-contract/operations/functions.ts';
import type { StructureOf } from '#functions-contract/shape.ts';

import { functionNotFound } from '../../configuration/find-function.ts';
import { latest } from '../../configuration/function-record.ts';
import { serve, type ServedOperation } from '../../conventions/call.ts';
import { functionArn, readFunctionName } from '../../identity/function-name.ts';
import type { Answer } from '../../environments/environment.ts';
import { acceptEvent } from '../../events/accept-event.ts';
import type { FunctionPorts } from '../../ports.ts';
import { checkPayload, emptyEvent, readClientContext } from '../invoke-input.ts';
import { checkAddress, type Address } from '../check-address.ts';
import type { Invocable } from '../invocation-store.ts';
import { checkInvocable, runFunction } from '../run-function.ts';

type Output = StructureOf<(typeof invoke)['output']>;

export function serveInvoke(ports: FunctionPorts): ServedOperation {
  const { settings, targets } = ports;
  return serve(invoke, async (input, call): Promise<Output> => {
    const reference = readFunctionName(input.FunctionName, settings, input.Qualifier);
    const payload = input.Payload ?? emptyEvent;
    checkPayload(payload);
    const clientContext = readClientContext(input.ClientContext);
    const target = await targets.find(reference);
    if (!target) {
      throw functionNotFound(settings, reference.name, reference.qualifier ?? latest);
    }
    // Nothing that runs later, or never, is accepted when it could not run now.
    if (input.InvocationType === 'DryRun' || input.InvocationType === 'Event') {
      const qualified = reference.qualifier !== undefined;
      await checkAddressOf(ports, target, { tenantId: input.TenantId, qualified });
    }
    if (input.InvocationType === 'DryRun') {
      checkInvocable(target);
      return { StatusCode: 204 };
    }
    const { requestId, traceHeader } = call;
    if (input.InvocationType === 'Event') {
      const { qualifier } = reference;
      const tenantId = input.TenantId;
      const event = { requestId, qualifier, payload, clientContext, tenantId, traceHeader };
      await acceptEvent(ports, target, event);
      return { StatusCode: 202 };
    }
    const answer = await runFunction(ports, target, {
      requestId,
      functionArn: functionArn(settings, reference.name, reference.qualifier),
      payload,
      ...(traceHeader === undefined ? {} : { traceHeader }),
      ...(clientContext === undefined ? {} : { clientContext }),
      ...(input.TenantId === undefined ? {} : { tenantId: input.TenantId }),
    });
    return {
      StatusCode: 200,
      ExecutedVersion: target.version,
      ...(await representAnswer(answer, input.LogType === 'Tail')),
    };
  });
}

async function checkAddressOf(
  { subjects }: FunctionPorts,
  { versionId, servingId }: Invocable,
  address: Address,
): Promise<void> {
  const subject = servingId === undefined ? undefined : await subjects.find(versionId, servingId);
  if (subject) checkAddress(subject, address);
}

async function representAnswer({ outcome, logTail }: Answer, tail: boolean): Promise<Output> {
  const log = tail ? { LogResult: (await logTail).toString('base64') } : {};
  switch (outcome.kind) {
    case 'response':
      return { ...log, Payload: outcome.payload };
    case 'stream':
      return { ...log, Payload: await collected(outcome.body) };
    case 'failed':
      return { ...log, FunctionError: 'Unhandled', Payload: outcome.payload };
  }
}

/** A response in pieces, for a caller who asked for one whole. */
async function collected(body: AsyncIterable<Uint8Array>): Promise<Uint8Array> {
  const pieces: Uint8Array[] = [];
  for await (const piece of body) pieces.push(piece);
  return Buffer.concat(pieces);
}
