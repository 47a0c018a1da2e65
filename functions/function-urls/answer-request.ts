import { Readable } from 'node:stream';

import { present } from '#platform/present.ts';

import { runToEnd } from '../durable-executions/invoke-durable.ts';
import { wholeOutcome, type FunctionOutcome } from '../environments/execution-environment.ts';
import { functionArn } from '../model/function-name.ts';
import { noSuchResource } from '../errors/functions-error.ts';
import type { FunctionPorts } from '../http/call.ts';
import type { FunctionUrl } from '../urls/function-url.ts';
import {
  continued,
  httpResponse,
  integrationType,
  type HttpResponseHead,
  splitPrelude,
  type StreamedResponse,
} from '../urls/http-response.ts';
import { contentlessStatuses } from '../urls/response-headers.ts';
import { unlessDeleted } from '../versions/find-function.ts';

/** The response, buffered or streamed. */
export interface UrlResponse extends HttpResponseHead {
  readonly body: Uint8Array | AsyncIterable<Uint8Array>;
}

/** Runs the function with a request's event; an invalid result becomes a 502. */
export async function answerRequest(
  ports: FunctionPorts,
  url: FunctionUrl,
  requestId: string,
  event: object,
  traceHeader: string | undefined,
): Promise<UrlResponse> {
  const { settings, targets } = ports;
  const reference = { name: url.functionName, qualifier: url.alias };
  const target = await targets.find(reference);
  if (!target) throw noSuchResource();
  const invocation = {
    requestId,
    functionArn: functionArn(settings, url.functionName, url.alias),
    payload: Buffer.from(JSON.stringify(event)),
    ...present({ traceHeader }),
  };
  const { outcome } = await unlessDeleted(settings, reference, () =>
    runToEnd(ports, target, invocation),
  );
  const streamed = url.invokeMode === 'RESPONSE_STREAM';
  const answer = await (streamed ? streamedResponse(outcome) : wholeResponse(outcome));
  if (!answer) return badGateway;
  return contentlessStatuses.has(answer.status) ? withoutContent(answer) : answer;
}

/** What the function streams is read all the same, so that it comes to its end. A failure of it is in the log of the function. */
function withoutContent({ body, ...head }: UrlResponse): UrlResponse {
  if (!(body instanceof Uint8Array))
    Readable.from(body)
      .on('error', () => {})
      .resume();
  return { ...head, body: new Uint8Array() };
}

/** A function that fails before it answers, or answers what cannot be sent. */
const badGateway: UrlResponse = {
  status: 502,
  headers: { 'content-type': 'application/json' },
  cookies: [],
  body: Buffer.from('Internal Server Error'),
};

async function streamedResponse(outcome: FunctionOutcome): Promise<UrlResponse | undefined> {
  if (outcome.kind === 'failed') return undefined;
  const pieces = outcome.kind === 'stream' ? failingBody(outcome) : onlyPiece(outcome.payload);
  try {
    const response = await withHead(outcome.contentType, pieces);
    if (!response || contentlessStatuses.has(response.status)) return response;
    // The head goes out with the first piece of the body: until then a failure can be reported.
    return { ...response, body: await startedBody(response.body) };
  } catch (error) {
    if (error instanceof ResponseFailedError) return undefined;
    throw error;
  }
}

async function withHead(
  contentType: string | undefined,
  pieces: AsyncIterable<Uint8Array>,
): Promise<StreamedResponse | undefined> {
  if (hasPrelude(contentType)) return splitPrelude(pieces);
  const type = contentType ?? 'application/octet-stream';
  return { status: 200, headers: { 'content-type': type }, cookies: [], body: pieces };
}

async function wholeResponse(outcome: FunctionOutcome): Promise<UrlResponse | undefined> {
  const { kind, payload } = await wholeOutcome(outcome);
  if (kind === 'failed') return undefined;
  if (outcome.kind !== 'stream' || !hasPrelude(outcome.contentType)) return httpResponse(payload);
  const response = await splitPrelude(onlyPiece(payload));
  return response && { ...response, body: Buffer.concat(await Array.fromAsync(response.body)) };
}

function hasPrelude(contentType: string | undefined): boolean {
  return contentType?.startsWith(integrationType) === true;
}

async function* onlyPiece(payload: Uint8Array): AsyncGenerator<Uint8Array> {
  yield payload;
}

/** The function has failed while it streamed its response, or reached its timeout; its log has the reason. */
class ResponseFailedError extends Error {
  override readonly name = 'ResponseFailedError';
}

/**
 * A streamed body that throws at its end if the function has failed: the connection is then closed without the end of the response, so
 * that the client sees that it is incomplete.
 */
function failingBody({ body, trailer }: StreamOutcome): AsyncIterable<Uint8Array> {
  const pieces = body[Symbol.asyncIterator]();
  return {
    [Symbol.asyncIterator]: () => ({
      async next() {
        const next = await pieces.next();
        if (next.done !== true) return next;
        const error = await trailer;
        if (error) throw new ResponseFailedError(`The response has failed: ${error.type}`);
        return next;
      },
      async return() {
        await pieces.return?.();
        return { done: true, value: undefined };
      },
    }),
  };
}

type StreamOutcome = Extract<FunctionOutcome, { kind: 'stream' }>;

/** Waits for the first piece, or the end. */
async function startedBody(body: AsyncIterable<Uint8Array>): Promise<AsyncIterable<Uint8Array>> {
  const pieces = body[Symbol.asyncIterator]();
  const first = await pieces.next();
  return continued(first.done === true ? new Uint8Array() : first.value, pieces);
}
