import type { Readable } from 'node:stream';

import type { FastifyBaseLogger } from 'fastify';

import { inBackground } from '#platform/in-background.ts';

import { pushRulesFor } from '../branches/protection.ts';
import type { ReceivePack } from '../git/git.ts';
import type { Ports } from '../ports.ts';
import { completeChange } from '../ref-changes/complete-change.ts';
import { deleteIntent, insertIntent } from '../ref-changes/intent-store.ts';
import { resumeLater } from '../ref-changes/reconcile.ts';
import { bodyBytesMax } from './request-body.ts';

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
 * Takes a push. The intent is durable before git sees a byte, and the client hears of its success only when git has
 * everything on disk and the rows follow the refs (crash matrix C10 to C13).
 */
export async function takePush(ports: Ports, push: Push): Promise<Readable> {
  const { repositoryId, pusherId: actorId } = push;
  const now = ports.clock.now();
  const rules = await ports.database.read((sql) => pushRulesFor(sql, repositoryId, actorId));
  const intentId = await ports.database.write((sql) =>
    insertIntent(sql, { repositoryId, refs: [], merge: undefined, actorId, kind: 'push', now }),
  );
  const received = ports.git.repository(repositoryId).receivePack(push.body, {
    protocol: push.protocol,
    ...rules,
    ...(push.onlyBranches ? { only: onlyRefs(push.onlyBranches) } : {}),
    packBytesMax: bodyBytesMax['receive-pack'],
  });
  inBackground(finish(ports, push, intentId, received), (err) =>
    push.log.error({ err, repositoryId }, 'a push could not be recorded'),
  );
  return received.output;
}

async function finish(
  ports: Ports,
  push: Push,
  intentId: number,
  received: ReceivePack,
): Promise<void> {
  const { repositoryId, pusherId: actorId } = push;
  try {
    const moves = await received.settled;
    if (moves.length === 0) {
      await ports.database.write((sql) => deleteIntent(sql, intentId));
    } else {
      const now = ports.clock.now();
      await completeChange(ports, { intentId, repositoryId, moves, now, actorId });
    }
    received.acknowledge();
  } catch (error) {
    // The refs may have moved: the client is told nothing, and the rows are brought to them by another way.
    push.log.error({ err: error, repositoryId }, 'a push could not be recorded');
    received.output.destroy(error instanceof Error ? error : new Error(String(error)));
    resumeLater(ports, intentId);
  }
}

function onlyRefs(branches: readonly string[]): { refs: string[]; reason: string } {
  return {
    refs: branches.map((branch) => `refs/heads/${branch}`),
    reason: `You may push here only to branches of pulls that let maintainers in: ${branches.join(', ')}.`,
  };
}
