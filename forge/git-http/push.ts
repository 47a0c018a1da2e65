import { Readable } from 'node:stream';

import type { FastifyBaseLogger } from 'fastify';

import { inBackground } from '#platform/in-background.ts';
import { storageFailure, storageSentences } from '#platform/storage-failure.ts';

import { pushRulesFor } from '../ref-updates/merge-block.ts';
import type { ReceiveOptions, ReceivePack } from '../git/received-push.ts';
import { parseRefName } from '../git/names.ts';
import { type PushCommand, readPushCommands } from '../git/format/push-commands.ts';
import type { Ports } from '../ports/ports.ts';
import { completeChange } from '../ref-updates/complete-change.ts';
import { insertIntent } from '../ref-updates/intent-store.ts';
import { resumeLater } from '../ref-updates/reconcile.ts';
import { bodyBytesMax } from './request-body.ts';
import type { RefMove } from '../git/ref-update.ts';
import type { Transfer } from '../http/transfer-gate.ts';

export interface Push {
  readonly repositoryId: number;
  readonly pusherId: number;
  readonly body: Readable;
  readonly protocol: string | undefined;
  /** The only branches the caller may push to, where it may not push to all. */
  readonly onlyBranches: readonly string[] | undefined;
  readonly log: FastifyBaseLogger;
}

/**
 * Takes a push. What it asks for is durable before git sees a byte, and the client hears of its success only when git has
 * everything on disk and the rows follow the refs (crash matrix C10 to C13).
 */
export async function takePush(ports: Ports, push: Push): Promise<Transfer> {
  const { repositoryId, pusherId: actorId } = push;
  const asked = await readRequest(push.body);
  const now = ports.clock.now();
  const rules = await ports.database.read((sql) => pushRulesFor(sql, repositoryId, actorId));
  const { moves: refs } = asked;
  const options: ReceiveOptions = {
    protocol: push.protocol,
    ...rules,
    ...(push.onlyBranches ? { only: onlyRefs(push.onlyBranches) } : {}),
    packBytesMax: bodyBytesMax['receive-pack'],
  };
  const repository = ports.git.repository(repositoryId);
  let intentId: number | undefined;
  try {
    // git asks first whether it may push at all: such a request names no ref, and nothing can come of it.
    if (refs.length > 0) {
      const intent = { repositoryId, refs, merge: undefined, actorId, kind: 'push', now } as const;
      intentId = await ports.database.write((sql) => insertIntent(sql, intent));
    }
  } catch (error) {
    const failure = storageFailure(error);
    if (!failure) throw error;
    // In the report, since git shows its user nothing of an answer that is not 200.
    const refusal = storageSentences[failure];
    const refused = repository.receivePack(asked.body, { ...options, refusal });
    refused.acknowledge();
    return { stream: refused.output };
  }
  const received = repository.receivePack(asked.body, options);
  inBackground(finish(ports, push, intentId, received));
  return { stream: received.output, done: received.settled };
}

interface PushRequest {
  /** The branches and tags that the push asks to move. */
  readonly moves: readonly RefMove[];
  /** The whole request, from its first byte. */
  readonly body: Readable;
}

async function readRequest(body: Readable): Promise<PushRequest> {
  const chunks: AsyncIterator<Buffer> = body[Symbol.asyncIterator]();
  const { commands, refusal, bytes } = await readPushCommands(chunks);
  return {
    // A push that is turned down as a whole moves nothing.
    moves: refusal === undefined ? commands.flatMap(pushedMove) : [],
    body: Readable.from(allOf(bytes, chunks), { objectMode: false }),
  };
}

async function* allOf(first: Buffer, rest: AsyncIterator<Buffer>): AsyncGenerator<Buffer> {
  if (first.length > 0) yield first;
  yield* { [Symbol.asyncIterator]: () => rest };
}

function pushedMove({ name, old, new: next }: PushCommand): RefMove[] {
  const ref = /^refs\/(?:heads|tags)\//.test(name) ? parseRefName(name) : undefined;
  return ref && old !== next ? [{ ref, old, new: next }] : [];
}

async function finish(
  ports: Ports,
  push: Push,
  intentId: number | undefined,
  received: ReceivePack,
): Promise<void> {
  const { repositoryId, pusherId: actorId } = push;
  try {
    const moves = await received.settled;
    if (intentId !== undefined) {
      const now = ports.clock.now();
      await completeChange(ports, { intentId, repositoryId, moves, now, actorId });
    }
    received.acknowledge();
  } catch (error) {
    // The refs may have moved: the client is told nothing, and the rows are brought to them by another way.
    push.log.error({ err: error, repositoryId }, 'recording a push failed');
    received.output.destroy(error instanceof Error ? error : new Error(String(error)));
    if (intentId !== undefined) resumeLater(ports, intentId);
  }
}

function onlyRefs(branches: readonly string[]): { refs: string[]; reason: string } {
  return {
    refs: branches.map((branch) => `refs/heads/${branch}`),
    reason: `You can push only to branches of pull requests that allow edits from maintainers: ${branches.join(', ')}.`,
  };
}
