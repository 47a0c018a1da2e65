import type { IncomingMessage, ServerResponse } from 'node:http';

import type { GitProcessState } from '../commands/git-directory.ts';
import { GitError } from '../git-error.ts';
import { readAll } from './read-all.ts';
import { type CallResponse, decode, encode } from './wire.ts';
import { type Listing, receiveFiles, sendFiles } from './copied-files.ts';
import { expectCopy, moveCalls, repositoryMoves } from './repository-moves.ts';

/** What a server sends of a move. */
export interface MoveCall {
  readonly call: string;
  readonly arguments: readonly unknown[];
}

/** Requests of the move of a network, past the lock that it takes. */
export async function handleMove(
  state: GitProcessState,
  url: URL,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const id = Number(url.searchParams.get('repository'));
  switch (url.pathname) {
    case '/move':
      return respond(response, await perform(state, decode<MoveCall>(await readAll(request))));
    case '/move-files': {
      const have = decode<Listing>(await readAll(request));
      await sendFiles(state.paths.repository(id), response, have);
      response.end();
      return;
    }
    case '/move-copy': {
      const path = await expectCopy(state, url.searchParams.get('token') ?? '', id);
      return respond(response, await receiveFiles(path, request, state.durability));
    }
    default:
      throw new GitError('failed', `Unknown path of the git process: ${url.pathname}`);
  }
}

async function perform(
  state: GitProcessState,
  { call, arguments: given }: MoveCall,
): Promise<unknown> {
  const moves = repositoryMoves(state);
  const known = moveCalls.find((name) => name === call);
  for (const each of given.flat()) checkPartOfPath(each);
  if (known) return Reflect.apply(moves[known], moves, given);
  throw new GitError('failed', `Unknown call of the git process: ${call}`);
}

/** All of them, tokens and ids of repositories, become names of files or words in them. */
function checkPartOfPath(part: unknown): void {
  if (part === undefined) return;
  if (typeof part === 'string' && /^[\w-]{1,100}$/.test(part)) return;
  if (typeof part === 'number' && Number.isSafeInteger(part) && part >= 0) return;
  throw new GitError('failed', 'Not the token of a move, nor the id of a repository.');
}

function respond(response: ServerResponse, value: unknown): void {
  const sent: CallResponse = { kind: 'value', value };
  response.end(encode(sent));
}
