import { putFunctionEventInvokeConfig } from '#functions-contract/operations/event-invoke-config.ts';

import { serve, type ServedOperation } from '../../http/call.ts';
import type { FunctionPorts } from '../../http/function-ports.ts';
import { changeHandling } from '../change-handling.ts';
import type { EventInvokeConfigOutput } from '../event-invoke-config-json.ts';

export function servePutFunctionEventInvokeConfig(ports: FunctionPorts): ServedOperation {
  return serve(putFunctionEventInvokeConfig, (input): Promise<EventInvokeConfigOutput> =>
    changeHandling(ports, input, 'nothing'),
  );
}
