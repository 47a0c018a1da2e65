import {
  sendDurableExecutionCallbackFailure,
  sendDurableExecutionCallbackHeartbeat,
  sendDurableExecutionCallbackSuccess,
} from '#functions-contract/operations/durable-executions.ts';

import { serve, type ServedOperation } from '../../http/call.ts';
import type { FunctionPorts } from '../../http/function-ports.ts';
import { answerCallback, keepCallback } from '../callbacks.ts';
import { checkErrorSize } from '../check-updates.ts';

export function serveSendDurableExecutionCallbackSuccess(ports: FunctionPorts): ServedOperation {
  return serve(sendDurableExecutionCallbackSuccess, async ({ CallbackId, Result }) => {
    const result = Result === undefined ? {} : { result: Buffer.from(Result).toString() };
    await answerCallback(ports, CallbackId, { status: 'SUCCEEDED', ...result });
    return {};
  });
}

export function serveSendDurableExecutionCallbackFailure(ports: FunctionPorts): ServedOperation {
  return serve(sendDurableExecutionCallbackFailure, async ({ CallbackId, Error: error = {} }) => {
    checkErrorSize(error);
    await answerCallback(ports, CallbackId, { status: 'FAILED', error });
    return {};
  });
}

export function serveSendDurableExecutionCallbackHeartbeat(ports: FunctionPorts): ServedOperation {
  return serve(sendDurableExecutionCallbackHeartbeat, async ({ CallbackId }) => {
    await keepCallback(ports, CallbackId);
    return {};
  });
}
