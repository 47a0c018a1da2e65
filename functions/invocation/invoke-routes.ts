import { invoke } from '#functions-contract/operations/functions.ts';
import { invokeAsync } from '#functions-contract/operations/invoke-async.ts';
import { invokeWithResponseStream } from '#functions-contract/operations/invoke-with-response-stream.ts';
import type { StructureOf } from '#functions-contract/shape.ts';

import {
  checkNoExecutionName,
  invokeDurable,
  runToEnd,
} from '../durable-executions/invoke-durable.ts';
import { type InvocationResult, wholeOutcome } from '../environments/execution-environment.ts';
import { acceptEvent } from '../events/accept-event.ts';
import { readInvocation } from './read-invocation.ts';
import {
  bindOperation,
  type OperationHandler,
  type CreateHandler,
  type FunctionPorts,
} from '../http/call.ts';
import { eventMessage, eventStreamType } from './event-stream.ts';
import { unlessDeleted } from '../versions/find-function.ts';
import { runFunction } from './run-function.ts';

/** Invocations. */
export const invokeRoutes: readonly CreateHandler[] = [
  serveInvoke,
  serveInvokeWithResponseStream,
  serveInvokeAsync,
];

type InvokeOutput = StructureOf<(typeof invoke)['output']>;

function serveInvoke(ports: FunctionPorts): OperationHandler {
  return bindOperation(invoke, async (input, call): Promise<InvokeOutput> => {
    const requested = await readInvocation(ports, input, call);
    const { target, spec, event, invocation, reference } = requested;
    if (input.InvocationType === 'DryRun') return { StatusCode: 204 };
    const { DurableExecutionName: name } = input;
    if (spec?.configuration.DurableConfig) {
      const how = {
        isEvent: input.InvocationType === 'Event',
        wantsLog: input.LogType === 'Tail',
      };
      return unlessDeleted(ports.settings, reference, () =>
        invokeDurable(ports, target, spec, { ...event, name }, how),
      );
    }
    checkNoExecutionName(name);
    if (input.InvocationType === 'Event') {
      await unlessDeleted(ports.settings, reference, () => acceptEvent(ports, target, event));
      return { StatusCode: 202 };
    }
    const result = await runFunction(ports, target, invocation);
    return {
      StatusCode: 200,
      ExecutedVersion: target.version,
      ...(await representResult(result, input.LogType === 'Tail')),
    };
  });
}

async function representResult(result: InvocationResult, tail: boolean): Promise<InvokeOutput> {
  const { kind, payload } = await wholeOutcome(result.outcome);
  const log = tail ? { LogResult: (await result.logTail).bytes().toString('base64') } : {};
  const failure = kind === 'failed' ? { FunctionError: 'Unhandled' } : {};
  return { ...log, ...failure, Payload: payload };
}

type InvokeWithResponseStreamOutput = StructureOf<(typeof invokeWithResponseStream)['output']>;

function serveInvokeWithResponseStream(ports: FunctionPorts): OperationHandler {
  return bindOperation(
    invokeWithResponseStream,
    async (input, call): Promise<InvokeWithResponseStreamOutput> => {
      const { target, invocation, reference } = await readInvocation(ports, input, call);
      if (input.InvocationType === 'DryRun') return { StatusCode: 204 };
      const result = await unlessDeleted(ports.settings, reference, () =>
        runToEnd(ports, target, invocation),
      );
      return {
        StatusCode: 200,
        ExecutedVersion: target.version,
        ResponseStreamContentType: eventStreamType,
        EventStream: messagesOf(result, input.LogType === 'Tail'),
      };
    },
  );
}

/** The chunks of the response, then a message that reports how it ended. */
async function* messagesOf(
  { outcome, logTail }: InvocationResult,
  tail: boolean,
): AsyncGenerator<Uint8Array> {
  let error: { ErrorCode: string; ErrorDetails: string } | undefined;
  if (outcome.kind === 'response') yield chunk(outcome.payload);
  if (outcome.kind === 'stream') {
    for await (const piece of outcome.body) yield chunk(piece);
    const trailer = await outcome.trailer;
    error = trailer && errorOf(trailer.type, trailer.payload);
  }
  if (outcome.kind === 'failed') error = errorOf(outcome.errorType, outcome.payload);
  const log = tail ? { LogResult: (await logTail).bytes().toString('base64') } : {};
  const complete = Buffer.from(JSON.stringify({ ...error, ...log }));
  yield eventMessage('InvokeComplete', 'application/json', complete);
}

function chunk(piece: Uint8Array): Uint8Array {
  return eventMessage('PayloadChunk', 'application/octet-stream', piece);
}

function errorOf(code: string, payload: Uint8Array): { ErrorCode: string; ErrorDetails: string } {
  return { ErrorCode: code, ErrorDetails: Buffer.from(payload).toString() };
}

type InvokeAsyncOutput = StructureOf<(typeof invokeAsync)['output']>;

/** The deprecated operation for asynchronous invocation. */
function serveInvokeAsync(ports: FunctionPorts): OperationHandler {
  return bindOperation(
    invokeAsync,
    async ({ FunctionName, InvokeArgs }, call): Promise<InvokeAsyncOutput> => {
      const input = { FunctionName, Payload: InvokeArgs, InvocationType: 'Event' } as const;
      const { target, spec, event, reference } = await readInvocation(ports, input, call);
      await unlessDeleted(ports.settings, reference, async () => {
        if (spec?.configuration.DurableConfig) {
          const invocation = { ...event, name: undefined };
          await invokeDurable(ports, target, spec, invocation, { isEvent: true, wantsLog: false });
        } else {
          await acceptEvent(ports, target, event);
        }
      });
      return { Status: 202 };
    },
  );
}
