import { Readable } from 'node:stream';

import type { FastifyBaseLogger } from 'fastify';

import type { Sql } from '#platform/database/database.ts';
import { inBackground } from '#platform/in-background.ts';
import { currentLineage, inLineage } from '#platform/invocation-lineage.ts';
import { storageFailure, storageSentences } from '#platform/storage-failure.ts';

import { renderRefusal } from '../errors/error-responses.ts';
import { refuse, RefusalError } from '../errors/api-error.ts';
import { inRepositoryQueue } from '../model/repository.ts';
import { type PushRules, pushRulesFor } from '../ref-updates/protection-checks.ts';
import type { ReceiveOptions, ReceivePack } from '../git/received-push.ts';
import { noObject, parseRefName } from '../git/names.ts';
import { type PushCommand, readPushCommands } from '../git/format/push-commands.ts';
import type { Ports } from '../ports/ports.ts';
import { completeChange } from '../ref-updates/complete-change.ts';
import { resumeLater } from '../ref-updates/reconcile.ts';
import { recordIntent } from '../ref-updates/change-refs.ts';
import { bodyBytesMax } from './request-body.ts';
import type { RefMove } from '../git/ref-update.ts';
import type { Transfer } from '../http/transfer-limiter.ts';

export interface Push {
  readonly repositoryId: number;
  readonly pusherId: number;
  readonly body: Readable;
  readonly protocol: string | undefined;
  /** The only branches the caller may push to, where it may not push to all. */
  readonly onlyBranches: readonly string[] | undefined;
  /** Refuses a caller that may not push to these refs any more. */
  readonly authorizeAgain: (sql: Sql, refs: readonly string[]) => Promise<void>;
  /** With a deploy key: no one is exempt from the rules of branches. */
  readonly deployKey: boolean;
  /** The client keeps its request open until it has the report. */
  readonly staysOpen: boolean;
  readonly log: FastifyBaseLogger;
}

/**
 * Receives a push. A pack may take hours to arrive, so the permission is checked again when it is complete, in the
 * transaction that records the push and before any ref moves. The client gets the report only when git has everything on
 * disk and the rows follow the refs (docs/reliability.md, C10 to C13).
 */
export async function takePush(ports: Ports, push: Push): Promise<Transfer> {
  const { repositoryId } = push;
  const requested = await readRequest(push.body);
  const rules = await ports.database.read((sql) => rulesOf(sql, push, requested));
  const options: ReceiveOptions = {
    protocol: push.protocol,
    ...rules,
    ...(push.onlyBranches ? { only: onlyRefs(push.onlyBranches) } : {}),
    staysOpen: push.staysOpen,
    packBytesMax: bodyBytesMax['receive-pack'],
  };
  let recording: Promise<number | undefined> | undefined;
  // git asks in an event of another process, which belongs to no request.
  const lineage = currentLineage();
  const mayMove = async (): Promise<string | undefined> => {
    recording = inLineage(lineage, () => recordPush(ports, push, requested, rules));
    try {
      await recording;
      return undefined;
    } catch (error) {
      return reasonOf(error, push);
    }
  };
  const received = ports.git
    .repository(repositoryId)
    .receivePack(requested.body, options, requested.refs.length > 0 ? mayMove : undefined);
  inBackground(finish(ports, push, () => recording, received));
  return { stream: received.output, done: received.completed };
}

/** Makes durable what the push is about to move, if it still may; refuses by throwing. */
async function recordPush(
  ports: Ports,
  push: Push,
  requested: PushRequest,
  rules: PushRules,
): Promise<number | undefined> {
  const { repositoryId, pusherId: actorId } = push;
  const { moves } = requested;
  const check = async (sql: Sql): Promise<void> => {
    await push.authorizeAgain(sql, requested.refs);
    refuseChangedRules(rules, await rulesOf(sql, push, requested), requested);
  };
  if (moves.length === 0) {
    await ports.database.write(check, inRepositoryQueue(repositoryId));
    return undefined;
  }
  const now = ports.clock.now();
  const intent = {
    repositoryId,
    refs: moves,
    merge: undefined,
    actorId,
    kind: 'push',
    now,
  } as const;
  return recordIntent(ports, intent, check);
}

/** A deploy key pushes for the user who added it, but not with that user's exemptions. */
function rulesOf(
  sql: Sql,
  { repositoryId, pusherId, deployKey }: Push,
  { deleted }: PushRequest,
): Promise<PushRules> {
  const accountId = deployKey ? noAccount : pusherId;
  return pushRulesFor(sql, repositoryId, accountId, deleted.length > 0);
}

const noAccount = 0;

/** git decides each ref by the rules that it was given when the push began. */
function refuseChangedRules(
  before: PushRules,
  now: PushRules,
  { refs, deleted }: PushRequest,
): void {
  const changes = (kind: keyof PushRules) => (ref: string) =>
    now[kind].get(ref) !== before[kind].get(ref);
  const changed =
    refs.find(changes('refused')) ??
    refs.find(changes('fastForwardOnly')) ??
    deleted.find(changes('undeletable'));
  if (changed === undefined) return;
  const message = `The protection of ${changed} changed while the push was received. Push again.`;
  refuse({ kind: 'unprocessable', message });
}

/** The reason of a refusal, which git shows to its user; git does not show the body of a response other than 200. */
function reasonOf(error: unknown, { log, repositoryId }: Push): string {
  const failure = storageFailure(error);
  if (failure) return storageSentences[failure];
  if (error instanceof RefusalError) {
    const { message } = renderRefusal(error.refusal);
    return error.refusal.kind === 'not-found'
      ? 'You can no longer push to this repository.'
      : message;
  }
  log.error({ err: error, repositoryId }, 'recording a push failed');
  return 'The push could not be recorded. Try again.';
}

interface PushRequest {
  /** The full names of all refs that it names. */
  readonly refs: readonly string[];
  /** Those that it deletes. */
  readonly deleted: readonly string[];
  /** The refs that the push asks to move. */
  readonly moves: readonly RefMove[];
  /** The whole request, from its first byte. */
  readonly body: Readable;
}

async function readRequest(body: Readable): Promise<PushRequest> {
  const chunks: AsyncIterator<Buffer> = body[Symbol.asyncIterator]();
  const { commands, refusal, bytes } = await readPushCommands(chunks);
  return {
    refs: commands.map(({ name }) => name),
    deleted: commands.filter((command) => command.new === noObject).map(({ name }) => name),
    // A push that is refused as a whole moves nothing.
    moves: refusal === undefined ? commands.flatMap(pushedMove) : [],
    body: Readable.from(allOf(bytes, chunks), { objectMode: false }),
  };
}

async function* allOf(first: Buffer, rest: AsyncIterator<Buffer>): AsyncGenerator<Buffer> {
  if (first.length > 0) yield first;
  yield* { [Symbol.asyncIterator]: () => rest };
}

function pushedMove({ name, old, new: next }: PushCommand): RefMove[] {
  const ref = parseRefName(name);
  return ref && old !== next ? [{ ref, old, new: next }] : [];
}

async function finish(
  ports: Ports,
  push: Push,
  recording: () => Promise<number | undefined> | undefined,
  received: ReceivePack,
): Promise<void> {
  const { repositoryId, pusherId: actorId } = push;
  // If recording fails, the push is refused and the client gets the reason.
  const recorded = async (): Promise<number | undefined> => recording()?.catch(() => undefined);
  try {
    const moves = await received.completed;
    const intentId = await recorded();
    if (intentId !== undefined) {
      const now = ports.clock.now();
      await completeChange(ports, { intentId, repositoryId, moves, now, actorId });
    }
    received.acknowledge();
  } catch (error) {
    // The refs may have moved: the client gets no report, and `resumeLater` updates the rows.
    push.log.error({ err: error, repositoryId }, 'recording a push failed');
    received.output.destroy(error instanceof Error ? error : new Error(String(error)));
    const intentId = await recorded();
    if (intentId !== undefined) resumeLater(ports, intentId, repositoryId);
  }
}

function onlyRefs(branches: readonly string[]): { refs: string[]; reason: string } {
  return {
    refs: branches.map((branch) => `refs/heads/${branch}`),
    reason: `You can push only to branches of pull requests that allow edits from maintainers: ${branches.join(', ')}.`,
  };
}
