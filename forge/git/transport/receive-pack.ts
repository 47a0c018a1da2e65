import type { Readable } from 'node:stream';

import type { Child } from '#platform/child-process.ts';
import { isDiskFull } from '#platform/disk-space.ts';
import { inBackground } from '#platform/in-background.ts';
import { storageFailure, storageSentences } from '#platform/storage-failure.ts';

import { IdleLimit, transferProcessorSeconds } from '../commands/child-stream.ts';
import type { MayMove, ReceiveOptions } from '../received-push.ts';
import {
  whileMarkedDirty,
  requireRepository,
  type GitDirectory,
  syncPacks,
} from '../commands/git-directory.ts';
import { noObject, parseRefName } from '../names.ts';
import { flushPacket, formatPacket, formatSideband } from '../format/pkt-line.ts';
import { readPushCommands, type PushCommand, type PushCommands } from '../format/push-commands.ts';
import { respondToHook, prepareHooks } from './push-hooks.ts';
import { type PushRefusal, refusePushCommands } from './push-refusals.ts';
import { PushReport } from '../format/push-report.ts';
import { readRef } from '../repository/refs.ts';
import { protocolEnvironment } from './smart-http.ts';
import { collect } from '../commands/run-git.ts';
import { syncRefs } from '../repository/update-refs.ts';
import { mayBeRefusedByGit } from '../commands/writable-refs.ts';
import type { RefMove } from '../ref-update.ts';

/** The result of a push. */
export interface Received {
  readonly moves: readonly RefMove[];
  /** The rest of the response to the client. */
  readonly report: Buffer;
}

/** Sends progress to the client at once. Resolves when more can be sent. */
export type SendProgress = (bytes: Buffer) => Promise<void>;

/** How a push is taken. */
export interface Receiving {
  readonly options: ReceiveOptions;
  readonly sendProgress: SendProgress;
  readonly mayMove: MayMove | undefined;
}

const mebibyte = 1024 * 1024;
/** Memory and processor time of git for a push. */
const receiveLimits = { memoryBytes: 1024 * mebibyte, processorSeconds: transferProcessorSeconds };

/**
 * Receives a push. Even if the client disconnects, it returns the moves that git made, once they are
 * durable.
 */
export async function receivePack(
  directory: GitDirectory,
  request: Readable,
  receiving: Receiving,
): Promise<Received> {
  const { options } = receiving;
  await requireRepository(directory);
  const chunks: AsyncIterator<Buffer> = request[Symbol.asyncIterator]();
  const push = await readWholeCommands(chunks, options);
  if (!push) return { moves: [], report: Buffer.alloc(0) };
  if (push.refusal !== undefined) {
    return { moves: [], report: refusalReport(push, push.refusal) };
  }
  let hasStarted = false;
  try {
    return await whileMarkedDirty(directory, () => {
      hasStarted = true;
      return runReceivePack(directory, push, chunks, receiving);
    });
  } catch (error) {
    if (hasStarted || storageFailure(error) !== 'disk-full') throw error;
    await drainRequest(chunks, options);
    return { moves: [], report: refusalReport(push, storageSentences['disk-full']) };
  }
}

/**
 * The commands of the push; undefined when the client breaks off before it has sent them, and
 * nothing happened.
 */
async function readWholeCommands(
  chunks: AsyncIterator<Buffer>,
  options: ReceiveOptions,
): Promise<PushCommands | undefined> {
  try {
    const push = await readPushCommands(chunks);
    if (push.refusal !== undefined) await drainRequest(chunks, options);
    return push;
  } catch {
    return undefined;
  }
}

async function runReceivePack(
  directory: GitDirectory,
  push: PushCommands,
  chunks: AsyncIterator<Buffer>,
  { options, sendProgress, mayMove }: Receiving,
): Promise<Received> {
  const refusals = refusePushCommands(push.commands, options);
  const { runner } = directory.state;
  const sideband = push.capabilities.has('side-band-64k');
  if (sideband) await reportHiddenRefs(refusals, sendProgress);
  const hooks = await prepareHooks(directory.state.paths, refusals, mayMove !== undefined);
  try {
    const child = runner.start({
      arguments: ['receive-pack', '--stateless-rpc', directory.path],
      environment: { ...protocolEnvironment(options.protocol), ...hooks.environment },
      settings: [
        ...hooks.settings,
        `receive.maxInputSize=${options.packBytesMax}`,
        // Large blobs are streamed to disk: a bomb of zeros stays small in memory (reliability
        // G17).
        'core.bigFileThreshold=1m',
      ],
      limits: receiveLimits,
      socket: mayMove !== undefined,
    });
    const idle = new IdleLimit(child);
    if (mayMove && child.socket) {
      respondToHook(child.socket, async () => {
        const refusal = await mayMove();
        // Until git has ended, whatever becomes of the client.
        if (refusal === undefined) directory.state.refMoves.add(directory.id, child.ended);
        return refusal;
      });
    }
    const fed = feed(child, push.bytes, chunks, options.packBytesMax, idle);
    const errors = collect(child.stderr, 4096);
    const report = await readResponse(
      child,
      new PushReport(sideband, directory.path),
      sendProgress,
      idle,
    );
    const end = await child.ended;
    if (options.staysOpen) inBackground(fed);
    else await fed;
    // Without a side band, standard error also contains messages of git's children, which quote the
    // client.
    if (sideband) runner.stopAfterFailedSync('receive-pack', errors().toString());
    if (end.signal !== undefined) directory.state.dirty.writerKilled(directory.id);
    if (end.startError) throw await runner.failure({ arguments: ['receive-pack'] }, end, '');
    const moves = await finish(directory, push, report);
    const short = moves.length < push.commands.length && (await isDiskFull(directory.path));
    if (short && sideband) await sendProgress(sentence(storageSentences['disk-full']));
    return { moves, report: report.held() };
  } finally {
    await hooks.remove();
  }
}

/**
 * git refuses these refs before the hook that explains refusals runs, so the message is written here.
 */
async function reportHiddenRefs(
  refusals: readonly PushRefusal[],
  sendProgress: SendProgress,
): Promise<void> {
  for (const { command, reason } of refusals) {
    if (!mayBeRefusedByGit(command.name)) continue;
    await sendProgress(sentence(reason));
  }
}

/** A line that git shows its user. */
function sentence(text: string): Buffer {
  return formatSideband(2, Buffer.from(`${text.replaceAll(/\p{Cc}/gu, ' ')}\n`));
}

/**
 * Sends git the request. If the request is aborted, git sees the end of its input and moves nothing.
 */
async function feed(
  child: Child,
  first: Buffer,
  chunks: AsyncIterator<Buffer>,
  bytesMax: number,
  idle: IdleLimit,
): Promise<void> {
  try {
    await write(child, first);
    for (let next = await chunks.next(); !next.done; next = await chunks.next()) {
      idle.touch();
      await write(child, next.value);
      if (child.stdin.destroyed) {
        // git has answered already. The client sends the rest before it reads that response.
        await drain(chunks, bytesMax);
        return;
      }
    }
    child.stdin.end();
  } catch {
    child.stdin.destroy();
  }
}

/** Resolves when git has taken the bytes, or will take no more. */
function write(child: Child, bytes: Buffer): Promise<void> {
  return new Promise((resolve) => {
    if (child.stdin.destroyed) resolve();
    else child.stdin.write(bytes, () => resolve());
  });
}

/** A client reads a refusal only after it has sent everything; one that keeps its request open shows no end of that. */
async function drainRequest(
  chunks: AsyncIterator<Buffer>,
  { staysOpen, packBytesMax }: ReceiveOptions,
): Promise<void> {
  const drained = drain(chunks, packBytesMax);
  if (staysOpen) inBackground(drained.catch(() => {}));
  else await drained;
}

async function drain(chunks: AsyncIterator<Buffer>, bytesMax: number): Promise<void> {
  let drained = 0;
  for (let next = await chunks.next(); !next.done; next = await chunks.next()) {
    drained += next.value.length;
    if (drained <= bytesMax) continue;
    // This ends the request.
    await chunks.return?.();
    return;
  }
}

async function readResponse(
  child: Child,
  report: PushReport,
  sendProgress: SendProgress,
  idle: IdleLimit,
): Promise<PushReport> {
  for await (const chunk of child.stdout) {
    idle.touch();
    const progress = report.take(chunk);
    if (progress.length > 0) await sendProgress(progress);
  }
  return report;
}

/**
 * Makes the push durable and returns the refs that it moved: those that git reports, or those that
 * have their new values.
 */
async function finish(
  directory: GitDirectory,
  push: PushCommands,
  report: PushReport,
): Promise<RefMove[]> {
  const accepted = report.acceptedRefs();
  const moves: RefMove[] = [];
  for (const command of push.commands) {
    const move = await findMove(directory, command, accepted);
    if (move) moves.push(move);
  }
  if (moves.length > 0) {
    await syncPacks(directory);
    await syncRefs(directory, moves);
  }
  return moves;
}

async function findMove(
  directory: GitDirectory,
  command: PushCommand,
  accepted: ReadonlySet<string> | undefined,
): Promise<RefMove | undefined> {
  const ref = parseRefName(command.name);
  if (!ref || command.old === command.new) return undefined;
  // Without a report (git died, or the client wants none) the refs themselves show it.
  const moved = accepted
    ? accepted.has(ref)
    : ((await readRef(directory, ref)) ?? noObject) === command.new;
  return moved ? { ref, old: command.old, new: command.new } : undefined;
}

/** The response to a push that git does not see, in the form that git would give it. */
function refusalReport(push: PushCommands, reason: string): Buffer {
  const lines = [
    formatPacket('unpack refused\n'),
    ...push.commands.map(({ nameBytes }) =>
      formatPacket(Buffer.concat([Buffer.from('ng '), nameBytes, Buffer.from(' refused\n')])),
    ),
    flushPacket,
  ];
  if (!push.capabilities.has('side-band-64k')) return Buffer.concat(lines);
  return Buffer.concat([
    sentence(reason),
    ...lines.map((line) => formatSideband(1, line)),
    flushPacket,
  ]);
}
