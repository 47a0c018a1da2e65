/** The conversation with one running program over the Runtime API. */
import type { Socket } from 'node:net';

export interface RuntimeChannel {
  /** Takes a connection of the program's. */
  accept(socket: Socket): void;
  /** Resolves, never rejects, when the program first asks for work, or says that it cannot start. */
  readonly initialised: Promise<InitOutcome>;
  /** Hands over an event and resolves with what the program answers. Calls wait for the program to ask for work. */
  invoke(event: RuntimeEvent): Promise<RuntimeAnswer>;
  /** The program is gone: every answer still waited for is `gone`. */
  close(): void;
}

export type InitOutcome =
  | { readonly kind: 'ready' }
  | { readonly kind: 'failed'; readonly error: RuntimeError }
  /** The channel was closed first. */
  | { readonly kind: 'gone' };

export interface RuntimeEvent {
  readonly requestId: string;
  /** Epoch milliseconds. */
  readonly deadline: number;
  /** Qualified exactly as invoked. */
  readonly functionArn: string;
  readonly traceId: string;
  readonly payload: Uint8Array;
  readonly contentType?: string;
  /** JSON text. */
  readonly clientContext?: string;
  /** JSON text. */
  readonly identity?: string;
  readonly tenantId?: string;
}

export type RuntimeAnswer =
  | { readonly kind: 'response'; readonly payload: Uint8Array; readonly contentType?: string }
  /** A response in pieces; `trailer` tells how it ended. */
  | {
      readonly kind: 'stream';
      readonly body: AsyncIterable<Uint8Array>;
      readonly contentType?: string;
      readonly trailer: Promise<RuntimeError | undefined>;
    }
  | { readonly kind: 'error'; readonly error: RuntimeError }
  | { readonly kind: 'too-large' }
  | { readonly kind: 'gone' };

export interface RuntimeError {
  /** The posted body, unchanged. */
  readonly payload: Uint8Array;
  /** After the filter of the error type header: `Function.Unknown`, `Runtime.Unknown` or as given. */
  readonly type: string;
}
