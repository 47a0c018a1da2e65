import { present } from '#platform/present.ts';

import { runToEnd } from '../durable-executions/invoke-durable.ts';
import { collected, type Outcome } from '../environments/execution-environment.ts';
import { functionArn } from '../model/function-name.ts';
import { noSuchResource } from '../errors/functions-error.ts';
import type { FunctionPorts } from '../http/call.ts';
import type { FunctionUrl } from '../urls/function-url.ts';
import {
  httpAnswer,
  integrationType,
  type HttpAnswerHead,
  splitPrelude,
} from '../urls/http-answer.ts';

/** The response, buffered or streamed. */
export interface UrlAnswer extends HttpAnswerHead {
  readonly body: Uint8Array | AsyncIterable<Uint8Array>;
}

/** Runs the function with a request's event; an invalid result becomes a 502. */
export async function answerRequest(
  ports: FunctionPorts,
  url: FunctionUrl,
  requestId: string,
  event: object,
  traceHeader: string | undefined,
): Promise<UrlAnswer> {
  const { settings, targets } = ports;
  const reference = { name: url.functionName, qualifier: url.alias };
  const target = await targets.find(reference);
  if (!target) throw noSuchResource();
  const { outcome } = await runToEnd(ports, target, {
    requestId,
    functionArn: functionArn(settings, url.functionName, url.alias),
    payload: Buffer.from(JSON.stringify(event)),
    ...present({ traceHeader }),
  });
  const streamed = url.invokeMode === 'RESPONSE_STREAM';
  return (await (streamed ? streamedAnswer(outcome) : wholeAnswer(outcome))) ?? badGateway;
}

/** A function that fails before it answers, or answers what cannot be sent. */
const badGateway: UrlAnswer = {
  status: 502,
  headers: { 'content-type': 'application/json' },
  cookies: [],
  body: Buffer.from('Internal Server Error'),
};

async function streamedAnswer(outcome: Outcome): Promise<UrlAnswer | undefined> {
  if (outcome.kind === 'failed') return undefined;
  const pieces = outcome.kind === 'stream' ? outcome.body : onlyPiece(outcome.payload);
  if (outcome.contentType?.startsWith(integrationType) === true) return splitPrelude(pieces);
  const type = outcome.contentType ?? 'application/octet-stream';
  return { status: 200, headers: { 'content-type': type }, cookies: [], body: pieces };
}

async function wholeAnswer(outcome: Outcome): Promise<UrlAnswer | undefined> {
  if (outcome.kind === 'failed') return undefined;
  if (outcome.kind === 'response') return httpAnswer(outcome.payload);
  if (outcome.contentType?.startsWith(integrationType) === true) {
    const answer = await splitPrelude(outcome.body);
    return answer && { ...answer, body: await collected(answer.body) };
  }
  return httpAnswer(await collected(outcome.body));
}

async function* onlyPiece(payload: Uint8Array): AsyncGenerator<Uint8Array> {
  yield payload;
}
