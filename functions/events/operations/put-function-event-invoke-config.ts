import { putFunctionEventInvokeConfig } from '#functions-contract/operations/event-invoke-config.ts';

import { serve, type ServedOperation } from '../../conventions/call.ts';
import type { FunctionPorts } from '../../ports.ts';
import { changeHandling } from '../change-handling.ts';
import type { EventInvokeConfigOutput } from '../event-invoke-config-representation.ts';

export function servePutFunctionEventInvokeConfig(ports: FunctionPorts): ServedOperation {
  return serve(putFunctionEventInvokeConfig, (input): Promise<EventInvokeConfigOutput> =>
    changeHandling(ports, input, 'nothing'),
  );
}
