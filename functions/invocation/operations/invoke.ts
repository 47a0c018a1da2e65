import { invoke } from '#functions-contract/operations/functions.ts';
import type { StructureOf } from '#functions-contract/shape.ts';

import { functionNotFound } from '../../configuration/find-function.ts';
import { latest } from '../../configuration/function-record.ts';
import { serve, type ServedOperation } from '../../conventions/call.ts';
import { functionArn, readFunctionName } from '../../identity/function-name.ts';
import type { Answer } from '../../environments/environment.ts';
import { checkNoExecutionName, invokeDurable } from '../../durable-executions/invoke-durable.ts';
import { wholePayload } from '../../environments/whole-payload.ts';
import { acceptEvent } from '../../events/accept-event.ts';
import type { FunctionPorts } from '../../ports.ts';
import { checkPayload, emptyEvent, readClientContext } from '../invoke-input.ts';
import { checkAddress } from '../check-address.ts';
import { checkInvocable, runFunction } from '../run-function.ts';

type Output = StructureOf<(typeof invoke)['output']>;

export function serveInvoke(ports: FunctionPorts): ServedOperation {
  const { settings, subjects, targets } = ports;
  return serve(invoke, async (input, call): Promise<Output> => {
    const reference = readFunctionName(input.FunctionName, settings, input.Qualifier);
    const payload = input.Payload ?? emptyEvent;
    checkPayload(payload);
    const clientContext = readClientContext(input.ClientContext);
    const target = await targets.find(reference);
    if (!target) {
      throw functionNotFound(settings, reference.name, reference.qualifier ?? latest);
    }
    const subject = await subjects.of(target);
    const { qualifier } = reference;
    const tenantId = input.TenantId;
    // Nothing that runs later, or never, is accepted when it could not run now.
    if (subject && (input.InvocationType === 'DryRun' || input.InvocationType === 'Event')) {
      checkAddress(subject, { tenantId, qualified: qualifier !== undefined });
    }
    if (input.InvocationType === 'DryRun') {
      checkInvocable(target);
      return { StatusCode: 204 };
    }
    const { requestId, traceHeader } = call;
    const { DurableExecutionName: name } = input;
    if (subject?.configuration.DurableConfig) {
      const invocation = { qualifier, name, payload, clientContext, tenantId, traceHeader };
      return invokeDurable(ports, target, subject, invocation, {
        isEvent: input.InvocationType === 'Event',
        wantsLog: input.LogType === 'Tail',
      });
    }
    checkNoExecutionName(name);
    if (input.InvocationType === 'Event') {
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

async function representAnswer({ outcome, logTail }: Answer, tail: boolean): Promise<Output> {
  const log = tail ? { LogResult: (await logTail).toString('base64') } : {};
  const failure = outcome.kind === 'failed' ? { FunctionError: 'Unhandled' } : {};
  return { ...log, ...failure, Payload: await wholePayload(outcome) };
}
