import type { Sql } from '#platform/database/database.ts';

import type {
  FunctionEvent,
  FunctionRequest,
  FunctionTargets,
  PostResult,
} from '../ports/function-targets.ts';
import { noResponse, readResponse, type DeliveryResponse } from './send-delivery.ts';

export interface FunctionDeliveryRequest extends FunctionRequest {
  readonly url: string;
  readonly timeoutMilliseconds: number;
  /** Aborts the attempt when the server stops. */
  readonly signal: AbortSignal;
}

/** Posts to a function URL of this program, in process; undefined if the URL is another. */
export async function postToFunction(
  functions: FunctionTargets,
  { url, timeoutMilliseconds, signal, ...request }: FunctionDeliveryRequest,
): Promise<DeliveryResponse | undefined> {
  const timeout = AbortSignal.timeout(timeoutMilliseconds);
  const stop = AbortSignal.any([signal, timeout]);
  try {
    return await untilAborted(stop, async () => {
      const result = await functions.post(url, request);
      if (result.kind === 'elsewhere') return undefined;
      if (result.kind === 'refused') return noResponse(result.reason);
      return await receive(result, stop);
    });
  } catch (error) {
    if (timeout.aborted && !signal.aborted) return noResponse('timed out');
    throw error;
  }
}

/** A function that breaks its stream off is a failed attempt, not an internal error, which would repeat the delivery for ever. */
async function receive(
  { status, headers, body }: Extract<PostResult, { kind: 'response' }>,
  stop: AbortSignal,
): Promise<DeliveryResponse> {
  try {
    return await readResponse(status, headers, body, stop);
  } catch {
    return noResponse('the function did not complete its response');
  }
}

/** A function cannot be interrupted: after an abort it runs on, as it does when a client hangs up. */
async function untilAborted<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> {
  signal.throwIfAborted();
  const { promise, reject } = Promise.withResolvers<never>();
  const abort = (): void => reject(signal.reason);
  signal.addEventListener('abort', abort);
  try {
    return await Promise.race([work(), promise]);
  } finally {
    signal.removeEventListener('abort', abort);
  }
}

/** Adds the delivery to the asynchronous events of a function: the response is that of an `Event` invocation. */
export async function enqueueForFunction(
  sql: Sql,
  functions: FunctionTargets | undefined,
  event: FunctionEvent,
): Promise<DeliveryResponse> {
  const result = await functions?.enqueue(sql, event);
  if (!result) return noResponse(functionsElsewhere);
  if (result.kind === 'refused') return noResponse(result.reason);
  return { code: 202, status: 'OK', headers: result.headers, body: '' };
}

export const functionsElsewhere =
  'url is the ARN of a function, and this server runs no functions. Use a URL';
