import type { FastifyReply, FastifyRequest } from 'fastify';

import { clientOf } from '#platform/client-address.ts';
import { functionCallerOf } from '#platform/function-caller.ts';
import { onResponseEnd } from '#platform/response-end.ts';

import { FunctionsError } from '../errors/functions-error.ts';

/**
 * Bytes of a body of the function service from which it is counted; smaller ones are bounded by the
 * connections.
 */
const countedBytesMin = 64 * 1024;
/**
 * Counted bodies of all callers, from their heads until their responses; then 429 `TooManyRequestsException` with `Retry-After:
 * 1`.
 */
const bytesMax = 512 * 1024 * 1024;
/** Counted bodies of one caller; then the same. */
const bytesOfOneMax = 256 * 1024 * 1024;

/**
 * Bounds the memory of request bodies, which wait in memory from their first byte until the response: by caller and in all. They count
 * from the head of the request, before anything of them is read.
 */
export class BodyBudget {
  readonly #ofCallers = new Map<string, number>();
  #total = 0;

  /** Throws when the budget does not allow the request's body. `principal` is who the head claims to be. */
  enter(
    request: FastifyRequest,
    reply: FastifyReply,
    bodyLimit: number,
    principal: string | undefined,
  ): void {
    const bytes = Math.min(bodyBytes(request), bodyLimit);
    if (bytes <= countedBytesMin) return;
    // A claim alone must not use up the share of another caller.
    const origin = functionCallerOf(request.raw)?.functionArn ?? clientOf(request.ip);
    const caller = `${origin} ${principal}`;
    const ofCaller = this.#ofCallers.get(caller) ?? 0;
    if (ofCaller + bytes > bytesOfOneMax) throw tooMany('of this caller');
    if (this.#total + bytes > bytesMax) throw tooMany('of all callers');
    this.#add(caller, bytes);
    onResponseEnd(reply.raw, () => this.#add(caller, -bytes));
  }

  #add(caller: string, bytes: number): void {
    this.#total += bytes;
    const left = (this.#ofCallers.get(caller) ?? 0) + bytes;
    if (left === 0) this.#ofCallers.delete(caller);
    else this.#ofCallers.set(caller, left);
  }
}

/** As announced; a body in chunks may be of any size. */
function bodyBytes({ headers }: FastifyRequest): number {
  const length = headers['content-length'];
  if (length !== undefined) return Number(length);
  return headers['transfer-encoding'] === undefined ? 0 : Infinity;
}

function tooMany(whose: string): FunctionsError {
  return new FunctionsError(
    'TooManyRequestsException',
    `Rate Exceeded. Too many bytes of request bodies ${whose} are being processed. Try again later.`,
    { reason: 'CallerRateLimitExceeded', retryAfterSeconds: 1 },
  );
}
