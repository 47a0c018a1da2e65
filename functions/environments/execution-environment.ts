import { invokeResponseBytesMax } from '#functions-contract/limits.ts';
import { present } from '#platform/present.ts';

import type { LogTail } from '../logs/environment-log.ts';
import { responseTooLarge } from '../logs/platform-errors.ts';
import type { RuntimeEvent, RuntimeResponse } from '../runtime-api/runtime-channel.ts';
import type { InitFailure } from './runtime-process.ts';
import type { StartFailure, VersionSpec } from './version-spec.ts';

/** What the pool needs of an execution environment. */
export interface ExecutionEnvironment {
  /** Starts the function ahead of any event; undefined once it requests one. */
  initialise(): Promise<InitFailure | undefined>;
  /** Runs one event. Rejects when the environment can no longer be used: see EnvironmentLostError. */
  process(event: RuntimeEvent): Promise<InvocationResult>;
  /** Resolves when it may get another event: what was ended after the last one, such as extensions, is gone. */
  recovered(): Promise<void>;
  close(): Promise<void>;
  /** Its credentials end before another event might: it gets none. */
  readonly isExpired: () => boolean;
  /** Calls back once when the sandbox is lost, that is, ended without having been closed. */
  onLost(listener: () => void): void;
}

/** Creates an environment (`make-environment.ts`); it is not initialised yet. */
export type CreateEnvironment = (spec: VersionSpec) => Promise<CreatedEnvironment>;

export type CreatedEnvironment =
  | { readonly kind: 'created'; readonly environment: ExecutionEnvironment }
  | { readonly kind: 'failed'; readonly failure: StartFailure };

/** The environment is lost, not because of its function, but because the process that ran its sandbox died. */
export class EnvironmentLostError extends Error {
  /** Whether the function may have processed the event: then it must not be sent to another environment. */
  readonly delivered: boolean;

  constructor(delivered: boolean, options?: ErrorOptions) {
    super('The execution environment was lost.', options);
    this.name = 'EnvironmentLostError';
    this.delivered = delivered;
  }
}

/**
 * The result of an invocation. On the way from the program to the caller, its type is in turn:
 *
 * - `RuntimeResponse` (`runtime-api/runtime-channel.ts`): what the program sent
 * - `RuntimeOutcome` (`runtime-process.ts`): that, or how the program or an extension failed
 * - `InvocationResult` (`sandboxed-environment.ts`): every failure as the caller sees it, and the log
 * - `EventOutcome` (`pool/environment-pool.ts`): that, or why there is none
 * - `RunResult` (`invocation/run-function.ts`): the result and its trace header; why there is none is thrown, or is a failure of the function
 * - the output of the operation (`invocation/invoke-routes.ts`)
 */
export interface InvocationResult {
  readonly outcome: FunctionOutcome;
  /** The end of the log, from the start of the invocation on. */
  readonly logTail: Promise<LogTail>;
}

export type FunctionOutcome =
  | Extract<RuntimeResponse, { kind: 'response' | 'stream' }>
  | { readonly kind: 'failed'; readonly payload: Uint8Array; readonly errorType: string };

/**
 * For callers that do not stream: waits for the end of a streamed response. One that ends with an error is a failure, and so is one that is
 * larger than a response that is not streamed: the rest of it is not read.
 */
export async function wholeOutcome(
  outcome: FunctionOutcome,
): Promise<Exclude<FunctionOutcome, { kind: 'stream' }>> {
  if (outcome.kind !== 'stream') return outcome;
  const { body, trailer, contentType } = outcome;
  const payload = await collected(body, invokeResponseBytesMax);
  if (!payload) return { kind: 'failed', ...responseTooLarge };
  const error = await trailer;
  return error
    ? { kind: 'failed', payload: error.payload, errorType: error.type }
    : { kind: 'response', payload, ...present({ contentType }) };
}

/** Undefined when there is more than that. */
async function collected(
  pieces: AsyncIterable<Uint8Array>,
  bytesMax: number,
): Promise<Buffer | undefined> {
  const all: Uint8Array[] = [];
  let bytes = 0;
  for await (const piece of pieces) {
    bytes += piece.length;
    if (bytes > bytesMax) return undefined;
    all.push(piece);
  }
  return Buffer.concat(all);
}
