import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { once } from 'node:events';
import { chmod, rm } from 'node:fs/promises';
import { finished, Readable } from 'node:stream';

import { createServer } from '#platform/node-http.ts';
import { systemRandom } from '#platform/random.ts';

import { writeWithBackpressure } from '../commands/backpressure.ts';
import type { MayMove } from '../received-push.ts';
import type { Git, GitRepository } from '../git.ts';
import { handleMove } from './serve-moves.ts';
import { gitDirectory } from '../commands/git-directory.ts';
import type { GitProcessState } from '../commands/git-directory.ts';
import { GitError } from '../git-error.ts';
import { localGit } from './local-git.ts';
import { parseObjectId } from '../names.ts';
import { readAll } from './read-all.ts';
import { type RootGuard, unguarded } from './root-guard.ts';
import { receivePack } from '../transport/receive-pack.ts';
import {
  decode,
  encode,
  failedCall,
  formatFrame,
  frame,
  processCalls,
  readFrames,
  readingCalls,
  repositoryCalls,
} from './wire.ts';
import type { CallRequest, CallResponse, WireFrame, PushDecision, PushRequest } from './wire.ts';

/** Serves the port on a Unix socket that only this user can open. */
export async function startGitServer(
  state: GitProcessState,
  socketPath: string,
  guard: RootGuard = unguarded,
): Promise<Server> {
  const server = createServer((request, response) => {
    handle(state, guard, request, response).catch(async (error: unknown) =>
      sendError(response, await guard.explain(error)),
    );
  });
  // Clones and pushes take as long as they take; connections between the two processes stay open
  // for reuse.
  server.requestTimeout = 0;
  server.keepAliveTimeout = 0;
  await rm(socketPath, { force: true });
  server.listen(socketPath);
  await once(server, 'listening');
  await chmod(socketPath, 0o600);
  return server;
}

async function handle(
  state: GitProcessState,
  guard: RootGuard,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const url = new URL(request.url ?? '/', 'http://git');
  const id = Number(url.searchParams.get('repository'));
  if (url.pathname.startsWith('/move')) {
    await guard.check();
    return handleMove(state, url, request, response);
  }
  const repository = async (): Promise<GitRepository> => {
    await enterUntilClosed(state, id, false, response);
    await afterRecovery(state, id);
    return localGit(state).repository(id);
  };
  const protocol = url.searchParams.get('protocol') ?? undefined;
  switch (url.pathname) {
    case '/ping':
      response.end();
      return;
    case '/call':
      return handleCall(state, guard, request, response);
    case '/advertise': {
      const service = url.searchParams.get('service');
      if (service !== 'upload-pack' && service !== 'receive-pack') break;
      return sendStream(await (await repository()).advertise(service, protocol), response);
    }
    case '/blob': {
      const object = parseObjectId(url.searchParams.get('object') ?? '');
      if (!object) break;
      return sendStream(await (await repository()).streamBlob(object), response);
    }
    case '/archive': {
      const commit = parseObjectId(url.searchParams.get('commit') ?? '');
      const format = url.searchParams.get('format');
      const folder = url.searchParams.get('folder') ?? '';
      if (!commit || (format !== 'zip' && format !== 'tar.gz')) break;
      const archive = await (await repository()).streamArchive({ commit, format, folder });
      return sendStream(archive, response);
    }
    case '/upload-pack':
      return sendStream(
        await (await repository()).uploadPack(request, protocol),
        response,
        request,
      );
    case '/fetch':
      // git may end before its input does. The client closes the connection: here, that would take the last bytes of the response along.
      response.shouldKeepAlive = true;
      response.setHeader('connection', 'keep-alive');
      return sendStream(await (await repository()).serveFetch(request, protocol), response);
    case '/receive-pack':
      return handleReceivePack(state, guard, id, request, response);
    case '/push-decision': {
      const { push, refusal } = decode<PushDecision>(await readAll(request));
      asking.get(push)?.(refusal);
      response.end();
      return;
    }
    default:
      break;
  }
  throw new GitError('failed', `Unknown path of the git process: ${url.pathname}`);
}

async function handleCall(
  state: GitProcessState,
  guard: RootGuard,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const call = decode<CallRequest>(await readAll(request));
  if (!readingCalls.has(call.call)) await guard.check();
  const value = await perform(state, call);
  const sent: CallResponse = { kind: 'value', value };
  response.end(encode(sent));
}

async function perform(state: GitProcessState, request: CallRequest): Promise<unknown> {
  const git = localGit(state);
  const { call } = request;
  const ids = repositoriesOf(request);
  const leave = await state.moveLock.enter(ids, !readingCalls.has(call));
  try {
    for (const id of ids) await afterRecovery(state, id);
    return await performEntered(git, request);
  } finally {
    leave();
  }
}

/** A transfer counts as a call until its response has ended. */
async function enterUntilClosed(
  { moveLock }: GitProcessState,
  id: number,
  writes: boolean,
  response: ServerResponse,
): Promise<void> {
  const leave = await moveLock.enter([id], writes);
  if (response.closed) leave();
  else response.once('close', leave);
}

async function performEntered(git: Git, request: CallRequest): Promise<unknown> {
  const { call, repositoryId } = request;
  if (repositoryId === undefined) {
    const known = processCalls.find((name) => name === call);
    if (known) return Reflect.apply(git[known], git, request.arguments);
  } else {
    const repository = git.repository(repositoryId);
    const known = repositoryCalls.find((name) => name === call);
    if (known) return Reflect.apply(repository[known], repository, request.arguments);
  }
  throw new GitError('failed', `Unknown call of the git process: ${call}`);
}

/** Those that a call reads or writes. */
function repositoriesOf({ call, repositoryId, arguments: provided }: CallRequest): number[] {
  const first = provided[0];
  const named = call === 'fetchObjects' || call === 'fork' || call === 'remove' ? first : undefined;
  return [repositoryId, named].filter((id) => typeof id === 'number');
}

/** Nothing is read or written in a repository that a crash interrupted until it is in order again. */
async function afterRecovery({ recovery }: GitProcessState, id: number): Promise<void> {
  try {
    await recovery.done(id);
  } catch (cause) {
    throw new GitError('recovering', 'Recovery of the repository has not finished.', { cause });
  }
}

function sendStream(stream: Readable, response: ServerResponse, request?: IncomingMessage): void {
  stream.pipe(response, { end: false });
  // Either end may break off. The stream's own clean-up ends git; the client sees a response that
  // stops short.
  finished(stream, (error) => {
    if (error) response.destroy();
    else endAfter(request, response);
  });
  response.once('close', () => stream.destroy());
}

/**
 * A response that ended before its request has come whole would close the connection under the
 * client's last bytes.
 */
function endAfter(request: IncomingMessage | undefined, response: ServerResponse): void {
  if (!request || request.readableEnded || request.destroyed) {
    response.end();
    return;
  }
  request.once('close', () => response.end());
  request.resume();
}

async function handleReceivePack(
  state: GitProcessState,
  guard: RootGuard,
  id: number,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const frames = readFrames(request);
  const first = await frames.next();
  if (first.done || first.value.kind !== frame.options) {
    throw new GitError('failed', 'A push lacks its options.');
  }
  const { options, wantsDecision } = decode<PushRequest>(first.value.content);
  const body = Readable.from(clientBytes(frames), { objectMode: false });
  try {
    await guard.check();
    await enterUntilClosed(state, id, true, response);
    await afterRecovery(state, id);
    const received = await receivePack(gitDirectory(state, id), body, {
      options,
      sendProgress: (bytes) => writeWithBackpressure(response, formatFrame(frame.data, bytes)),
      mayMove: wantsDecision ? () => callServer(response) : undefined,
    });
    response.write(formatFrame(frame.received, encode(received)));
  } catch (error) {
    const explained = await guard.explain(error);
    response.write(formatFrame(frame.error, encode(failedCall(explained))));
  }
  endAfter(request, response);
}

/** Pushes that wait for the decision whether their refs may move. */
const asking = new Map<number, (refusal: string | undefined) => void>();

/** A server that is gone lets nothing move: it could not record it. */
async function callServer(response: ServerResponse): ReturnType<MayMove> {
  const push = newPushId();
  const decided = Promise.withResolvers<string | undefined>();
  const onClose = (): void => decided.resolve('The server ended before the push was recorded.');
  asking.set(push, decided.resolve);
  response.once('close', onClose);
  try {
    if (response.destroyed) onClose();
    else await writeWithBackpressure(response, formatFrame(frame.wantsDecision, encode({ push })));
    return await decided.promise;
  } finally {
    asking.delete(push);
    response.removeListener('close', onClose);
  }
}

/** A server may decide after this process was started again: what it says of a push of the last one must not be taken for a push of this one. */
function newPushId(): number {
  const push = systemRandom.bytes(6).readUIntBE(0, 6);
  return asking.has(push) ? newPushId() : push;
}

async function* clientBytes(frames: AsyncIterable<WireFrame>): AsyncGenerator<Buffer> {
  let whole = false;
  // Read to the very end: to leave a request half-read is to close its connection.
  for await (const { kind, content } of frames) {
    if (kind === frame.end) whole = true;
    else yield content;
  }
  if (!whole) throw new GitError('failed', 'The client aborted its push.');
}

function sendError(response: ServerResponse, error: unknown): void {
  if (response.headersSent) {
    response.destroy();
    return;
  }
  response.writeHead(500).end(encode(failedCall(error)));
}
