import type { Readable } from 'node:stream';
import type { RefMove } from './ref-update.ts';

export interface ReceiveOptions {
  readonly protocol: string | undefined;
  /** Ref name to the sentence the client is shown. */
  readonly refused: ReadonlyMap<string, string>;
  /** The same for the deletion of a ref. */
  readonly undeletable?: ReadonlyMap<string, string>;
  /** The same for a move that leaves commits of the ref behind. */
  readonly fastForwardOnly?: ReadonlyMap<string, string>;
  /** When set, every ref but these is rejected with the reason. */
  readonly only?: { readonly refs: readonly string[]; readonly reason: string };
  /** The client keeps its request open until it has the report, as over SSH. */
  readonly staysOpen?: boolean;
  /** Bytes of pack after which the push is refused. */
  readonly packBytesMax: number;
}

/**
 * Asked once, when all objects of the push have arrived and before any ref moves. Resolves with the sentence the client is
 * shown where none of them may move.
 */
export type MayMove = () => Promise<string | undefined>;

export interface ReceivePack {
  /** What the client reads. */
  readonly output: Readable;
  /** The refs that really moved, once git is done and all is durable. */
  readonly completed: Promise<readonly RefMove[]>;
  /** Lets the report out. */
  acknowledge(): void;
}
