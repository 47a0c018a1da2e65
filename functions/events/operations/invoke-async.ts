import { invokeAsync } from '#functions-contract/operations/invoke-async.ts';
import type { StructureOf } from '#functions-contract/shape.ts';

import { functionNotFound } from '../../configuration/find-function.ts';
import { latest } from '../../configuration/function-record.ts';
import { serve, type ServedOperation } from '../../conventions/call.ts';
import { readFunctionName } from '../../identity/function-name.ts';
import { checkPayload } from '../../invocation/invoke-input.ts';
import type { FunctionPorts } from '../../ports.ts';
import { acceptEvent } from '../accept-event.ts';

type Output = StructureOf<(typeof invokeAsync)['output']>;

/** The older way to hand over an event. */
export function serveInvokeAsync(ports: FunctionPorts): ServedOperation {
  const { settings, targets } = ports;
  return serve(invokeAsync, async (input, { requestId, traceHeader }): Promise<Output> => {
    const { FunctionName, InvokeArgs } = input;
    const reference = readFunctionName(FunctionName, settings);
    checkPayload(InvokeArgs);
    const target = await targets.find(reference);
    const { name, qualifier } = reference;
    if (!target) throw functionNotFound(settings, name, qualifier ?? latest);
    await acceptEvent(ports, target, {
      requestId,
      qualifier,
      payload: InvokeArgs,
      clientContext: undefined,
      tenantId: undefined,
      traceHeader,
    });
    return { Status: 202 };
  });
}
