import { invokeAsync } from '#functions-contract/operations/invoke-async.ts';
import type { StructureOf } from '#functions-contract/shape.ts';

import { serve, type ServedOperation } from '../../http/call.ts';
import { invokeDurable } from '../../durable-executions/invoke-durable.ts';
import { readRequestedInvocation } from '../requested-invocation.ts';
import type { FunctionPorts } from '../../http/function-ports.ts';
import { acceptEvent } from '../accept-event.ts';

type Output = StructureOf<(typeof invokeAsync)['output']>;

/** The older way to hand over an event. */
export function serveInvokeAsync(ports: FunctionPorts): ServedOperation {
  return serve(invokeAsync, async ({ FunctionName, InvokeArgs }, call): Promise<Output> => {
    const input = { FunctionName, Payload: InvokeArgs, InvocationType: 'Event' } as const;
    const { target, subject, event } = await readRequestedInvocation(ports, input, call);
    if (subject?.configuration.DurableConfig) {
      const invocation = { ...event, name: undefined };
      await invokeDurable(ports, target, subject, invocation, { isEvent: true, wantsLog: false });
    } else {
      await acceptEvent(ports, target, event);
    }
    return { Status: 202 };
  });
}
