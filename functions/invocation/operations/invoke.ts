import { invoke } from '#functions-contract/operations/functions.ts';
import type { StructureOf } from '#functions-contract/shape.ts';

import { serve, type ServedOperation } from '../../http/call.ts';
import { checkNoExecutionName, invokeDurable } from '../../durable-executions/invoke-durable.ts';
import { wholePayload } from '../../environments/whole-payload.ts';
import { acceptEvent } from '../../events/accept-event.ts';
import type { FunctionPorts } from '../../http/function-ports.ts';
import { readRequestedInvocation } from '../../events/requested-invocation.ts';
import { runFunction } from '../run-function.ts';
import type { Answer } from '../../environments/execution-environment.ts';

type Output = StructureOf<(typeof invoke)['output']>;

export function serveInvoke(ports: FunctionPorts): ServedOperation {
  return serve(invoke, async (input, call): Promise<Output> => {
    const requested = await readRequestedInvocation(ports, input, call);
    const { target, subject, event, invocation } = requested;
    if (input.InvocationType === 'DryRun') return { StatusCode: 204 };
    const { DurableExecutionName: name } = input;
    if (subject?.configuration.DurableConfig) {
      return invokeDurable(
        ports,
        target,
        subject,
        { ...event, name },
        {
          isEvent: input.InvocationType === 'Event',
          wantsLog: input.LogType === 'Tail',
        },
      );
    }
    checkNoExecutionName(name);
    if (input.InvocationType === 'Event') {
      await acceptEvent(ports, target, event);
      return { StatusCode: 202 };
    }
    const answer = await runFunction(ports, target, invocation);
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
