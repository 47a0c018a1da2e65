/**
 * The protocol between server and git process: HTTP over a Unix socket. Values are encoded in the format
 * of `node:v8`, which keeps bytes, `undefined` and maps as they are; between nodes of a
 * cluster the two ends may be of different versions (git/git.ts).
 */

import { deserialize, serialize } from 'node:v8';

import { storageFailure } from '#platform/storage-failure.ts';

import { GitError, type GitErrorKind, isGitErrorKind } from '../git-error.ts';
import type { GitRepository } from '../git.ts';
import type { ReceiveOptions } from '../received-push.ts';

/** Everything that is answered by one value. */
export const repositoryCalls = [
  'setHead',
  'size',
  'readRef',
  'listRefs',
  'updateRefs',
  'resolveCommit',
  'objectInfo',
  'readCommit',
  'readTag',
  'readTree',
  'findPath',
  'readBlob',
  'writeBlob',
  'writeBlobs',
  'writeTree',
  'writeCommit',
  'writeTag',
  'log',
  'countCommits',
  'divergences',
  'grep',
  'blame',
  'lastCommits',
  'containingRefs',
  'contributors',
  'statistics',
  'mergeBase',
  'isAncestor',
  'diffFiles',
  'diffStat',
  'diffText',
  'formatPatch',
  'mergeTrees',
  'rebase',
  'testRebase',
  'fetchObjects',
  'largeFilePointers',
  'maintain',
] as const satisfies readonly (keyof GitRepository)[];

/** Those that change nothing on disk: a repository that moves to another shard answers them meanwhile. */
export const readingCalls: ReadonlySet<string> = new Set([
  'size',
  'readRef',
  'listRefs',
  'resolveCommit',
  'objectInfo',
  'readCommit',
  'readTag',
  'readTree',
  'findPath',
  'readBlob',
  'log',
  'countCommits',
  'divergences',
  'grep',
  'blame',
  'lastCommits',
  'contributors',
  'statistics',
  'containingRefs',
  'mergeBase',
  'isAncestor',
  'diffFiles',
  'diffStat',
  'diffText',
  'formatPatch',
  'largeFilePointers',
] satisfies RepositoryCall[]);

export const processCalls = ['create', 'fork', 'remove'] as const;

export type RepositoryCall = (typeof repositoryCalls)[number];

export type ProcessCall = (typeof processCalls)[number];

export interface CallRequest {
  /** Undefined for a call that is not about one repository. */
  readonly repositoryId: number | undefined;
  readonly call: RepositoryCall | ProcessCall;
  readonly arguments: readonly unknown[];
}

export type CallResponse =
  | { readonly kind: 'value'; readonly value: unknown }
  | { readonly kind: 'error'; readonly errorKind: string; readonly message: string };

/** How a push is to be taken. */
export interface PushRequest {
  readonly options: ReceiveOptions;
  /** Whether it asks once more before its refs move. */
  readonly wantsDecision: boolean;
}

/** The response to a push that asked whether its refs may move. */
export interface PushDecision {
  readonly push: number;
  readonly refusal: string | undefined;
}

export function encode(value: CallRequest | CallResponse | object): Buffer {
  return serialize(value);
}

/**
 * The other end is this program too, so what it sends has the type that the caller expects there.
 */
// oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- names that type
export function decode<T>(bytes: Buffer): T {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the edge of the process
  return deserialize(bytes) as T;
}

export function failedCall(error: unknown): CallResponse {
  const message = error instanceof Error ? error.message : String(error);
  const errorKind = error instanceof GitError ? error.kind : kindOf(error);
  return { kind: 'error', errorKind, message };
}

/** The git process also writes files itself, so errors of the file system occur as well as those of git. */
function kindOf(error: unknown): GitErrorKind {
  return storageFailure(error) === 'disk-full' ? 'disk-full' : 'failed';
}

export function toGitError(response: CallResponse & { kind: 'error' }): GitError {
  const { errorKind, message } = response;
  return new GitError(isGitErrorKind(errorKind) ? errorKind : 'failed', message);
}

/**
 * The frames of a push, in both directions, and of a repository that moves to another shard: one byte of kind, four of length, then the content.
 */
export const frame = {
  /** Request: how the push is to be taken (`PushRequest`). */
  options: 1,
  /** Request: bytes of the client. Answer: bytes for the client. */
  data: 2,
  /** Request: the client has sent everything. Without it the request broke off. */
  end: 3,
  /** Answer: the result of the push. */
  received: 4,
  /** Answer: it failed. */
  error: 5,
  /** Answer: all objects have arrived. May refs move? The decision comes as a request of its own, which names this push. */
  wantsDecision: 6,
  /** Of a repository that moves: a file begins. */
  file: 7,
  /** The list of its files. */
  list: 8,
} as const;

type FrameKind = (typeof frame)[keyof typeof frame];

export interface WireFrame {
  readonly kind: number;
  readonly content: Buffer;
}

export function formatFrame(kind: FrameKind, content: Buffer): Buffer {
  const head = Buffer.alloc(headBytes);
  head.writeUInt8(kind, 0);
  head.writeUInt32BE(content.length, 1);
  return Buffer.concat([head, content]);
}

/** Splits a stream into frames. */
export async function* readFrames(stream: AsyncIterable<Buffer>): AsyncGenerator<WireFrame> {
  let chunks: Buffer[] = [];
  let bytes = 0;
  let wanted = headBytes;
  for await (const chunk of stream) {
    chunks.push(chunk);
    bytes += chunk.length;
    // Joined once they are enough: joining them at every chunk would copy a large frame again and again.
    if (bytes < wanted) continue;
    let rest = chunks.length === 1 ? chunk : Buffer.concat(chunks);
    for (wanted = wantedOf(rest); rest.length >= wanted; wanted = wantedOf(rest)) {
      yield { kind: rest.readUInt8(0), content: rest.subarray(headBytes, wanted) };
      rest = rest.subarray(wanted);
    }
    chunks = [rest];
    bytes = rest.length;
  }
}

/** Bytes of the kind and the length of a frame. */
const headBytes = 5;

/** How many bytes the first frame takes, as far as it is known. */
function wantedOf(bytes: Buffer): number {
  return bytes.length < headBytes ? headBytes : headBytes + bytes.readUInt32BE(1);
}

/**
 * The git process's exit status that prevents its parent from restarting it.
 */
export const notDurableStatus = 70;
