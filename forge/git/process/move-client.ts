import { pipeline } from 'node:stream/promises';
import { Transform } from 'node:stream';

import { type GitConnection, responseTo, throwError } from './git-connection.ts';
import { readAll } from './read-all.ts';
import { type CallResponse, decode, encode } from './wire.ts';
import type { Listing } from './copied-files.ts';
import type { RepositoryMoves } from './repository-moves.ts';
import type { MoveCall } from './serve-moves.ts';

/** One end of a move, behind a connection. */
export function movesOver(connection: GitConnection): RepositoryMoves {
  return {
    freeze: (...given) => ask(connection, 'freeze', given),
    close: (...given) => ask(connection, 'close', given),
    thaw: (...given) => ask(connection, 'thaw', given),
    leave: (...given) => ask(connection, 'leave', given),
    refs: (...given) => ask(connection, 'refs', given),
    begin: (...given) => ask(connection, 'begin', given),
    accept: (...given) => ask(connection, 'accept', given),
    drop: (...given) => ask(connection, 'drop', given),
    tokens: (...given) => ask(connection, 'tokens', given),
  };
}

async function ask<T>(
  connection: GitConnection,
  call: keyof RepositoryMoves,
  given: readonly unknown[],
): Promise<T> {
  const sent = await connection.open('POST', '/move', { id: 0 });
  const body: MoveCall = { call, arguments: given };
  sent.end(encode(body));
  return valueOf<T>(await readAll(await responseTo(sent)));
}

export interface RepositoryCopy {
  readonly id: number;
  readonly token: string;
  /** What an earlier copy has. */
  readonly have: Listing;
  readonly onBytes: (count: number) => void;
  readonly signal: AbortSignal;
}

/** Copies a repository from one shard into another, where it is not used yet. */
export async function copyRepository(
  from: GitConnection,
  to: GitConnection,
  { id, token, have, onBytes, signal }: RepositoryCopy,
): Promise<Listing> {
  const asked = await from.open('POST', '/move-files', { id });
  const source = responseTo(asked);
  asked.end(encode(have));
  const incoming = await source;
  if (incoming.statusCode !== 200) return throwError(decode(await readAll(incoming)));
  const sent = await to.open('POST', '/move-copy', { id, token });
  const answered = responseTo(sent).then(readAll);
  const counted = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      onBytes(chunk.length);
      done(null, chunk);
    },
  });
  const [sending, answer] = await Promise.allSettled([
    pipeline(incoming, counted, sent, { signal }),
    answered,
  ]);
  // Why the target refused says more than that it did not read on.
  if (answer.status === 'fulfilled') return valueOf<Listing>(answer.value);
  throw sending.status === 'rejected' ? sending.reason : answer.reason;
}

// oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- names the type that the other end sends
function valueOf<T>(bytes: Buffer): T {
  const response = decode<CallResponse>(bytes);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the other end is this program too
  return response.kind === 'value' ? (response.value as T) : throwError(response);
}
