import { invokeWithResponseStream } from '#functions-contract/operations/invoke-with-response-stream.ts';
import type { StructureOf } from '#functions-contract/shape.ts';

import { serve, type ServedOperation } from '../../http/call.ts';
import { runToEnd } from '../../durable-executions/run-to-end.ts';
import type { FunctionPorts } from '../../http/function-ports.ts';
import { eventMessage, eventStreamType } from '../event-stream.ts';
import { readRequestedInvocation } from '../../events/requested-invocation.ts';
import type { Answer } from '../../environments/execution-environment.ts';

type Output = StructureOf<(typeof invokeWithResponseStream)['output']>;

export function serveInvokeWithResponseStream(ports: FunctionPorts): ServedOperation {
  return serve(invokeWithResponseStream, async (input, call): Promise<Output> => {
    const { target, invocation } = await readRequestedInvocation(ports, input, call);
    if (input.InvocationType === 'DryRun') return { StatusCode: 204 };
    const answer = await runToEnd(ports, target, invocation);
    return {
      StatusCode: 200,
      ExecutedVersion: target.version,
      ResponseStreamContentType: eventStreamType,
      EventStream: messagesOf(answer, input.LogType === 'Tail'),
    };
  });
}

/** The pieces of the answer, then a last message that tells how it ended. */
async function* messagesOf(
  { outcome, logTail }: Answer,
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
  const log = tail ? { LogResult: (await logTail).toString('base64') } : {};
  const complete = Buffer.from(JSON.stringify({ ...error, ...log }));
  yield eventMessage('InvokeComplete', 'application/json', complete);
}

function chunk(piece: Uint8Array): Uint8Array {
  return eventMessage('PayloadChunk', 'application/octet-stream', piece);
}

function errorOf(code: string, payload: Uint8Array): { ErrorCode: string; ErrorDetails: string } {
  return { ErrorCode: code, ErrorDetails: Buffer.from(payload).toString() };
}
