/** The Runtime API session of one running program. */
import type { Socket } from 'node:net';

import type { RequestHead } from './request-head.ts';

export interface RuntimeChannel {
  /** Accepts a connection of the program. */
  accept(socket: Socket): void;
  /** Resolves, never rejects, when the program first requests an event, or reports an init error. */
  readonly initialised: Promise<InitOutcome>;
  /** Sends an event and resolves with the program's response. Waits until the program requests an event. */
  exchange(event: DeliveredEvent): Promise<RuntimeResponse>;
  /** The program has ended: every pending response becomes `gone`. Extensions may go on. */
  programEnded(): void;
  /** The same, and closes every connection. */
  close(): void;
}

export type InitOutcome =
  | { readonly kind: 'ready' }
  | { readonly kind: 'failed'; readonly error: RuntimeError }
  /** The channel was closed first. */
  | { readonly kind: 'gone' };

/** An event as it is sent to a program. */
export interface DeliveredEvent extends RuntimeEvent {
  /** When its timeout ends, in epoch milliseconds: known once an environment is there for it. */
  readonly deadline: number;
}

export interface RuntimeEvent {
  readonly requestId: string;
  /** Qualified exactly as invoked. */
  readonly functionArn: string;
  readonly traceHeader: string;
  readonly payload: Uint8Array;
  readonly contentType?: string;
  /** JSON text. */
  readonly clientContext?: string;
  /** JSON text. */
  readonly identity?: string;
  readonly tenantId?: string;
}

export type RuntimeResponse =
  | { readonly kind: 'response'; readonly payload: Uint8Array; readonly contentType?: string }
  /** A streamed response; `trailer` reports how it ended. */
  | {
      readonly kind: 'stream';
      readonly body: AsyncIterable<Uint8Array>;
      readonly contentType?: string;
      readonly trailer: Promise<RuntimeError | undefined>;
    }
  | { readonly kind: 'error'; readonly error: RuntimeError }
  | { readonly kind: 'too-large' }
  /** The program has ended; `delivered`: it may have read the event. */
  | { readonly kind: 'gone'; readonly delivered: boolean };

export interface RuntimeError {
  /** The posted body, unchanged. */
  readonly payload: Uint8Array;
  /** After the filter of the error type header: `Function.Unknown`, `Runtime.Unknown` or as given. */
  readonly type: string;
}

/** An error that a program reports: the body as it is, and the type from the header. */
export function reportedError(head: RequestHead, payload: Buffer): RuntimeError {
  return {
    payload,
    type: filteredErrorType(head.headers.get('lambda-runtime-function-error-type')),
  };
}

/** Characters of the type of an error that a program reports. */
export const errorTypeCharactersMax = 255;

/**
 * Filters the header with the error type: a program may send anything, and it appears in logs, metrics and the state of its function.
 */
export function filteredErrorType(given: string | undefined): string {
  const isShort = given !== undefined && given.length <= errorTypeCharactersMax;
  if (isShort && knownForm.test(given)) return given;
  return given?.startsWith('Function.') === true ? 'Function.Unknown' : 'Runtime.Unknown';
}

const knownForm = /(Runtime|Function)\.[A-Z][a-zA-Z]+/;
