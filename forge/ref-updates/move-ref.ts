import type { Sql } from '#platform/database/database.ts';

import type { UserCaller } from '../model/caller.ts';
import { authorizeRepository, mayPush } from '../repositories/repository-access.ts';
import type { RefUpdateKind } from '../branches/protection-rules.ts';
import { refuseProtectedMove } from './protection-checks.ts';
import type { RefUpdateResult } from '../git/ref-update.ts';
import { noObject, type ObjectId, type RefName } from '../git/names.ts';
import type { Ports } from '../ports/ports.ts';
import { changeRefs } from './change-refs.ts';

export interface MoveRefInput {
  readonly repositoryId: number;
  readonly caller: UserCaller;
  readonly ref: RefName;
  /** The exact current value of the ref, so that no concurrent move is lost (`noObject` if the ref does not exist). */
  readonly old: ObjectId;
  readonly new: ObjectId;
  readonly now: number;
  /** The move is not a fast-forward. */
  readonly isForced?: boolean;
  /** Checked as well in the transaction that decides; refuses by throwing. */
  readonly check?: (sql: Sql) => Promise<unknown>;
}

/**
 * Moves a ref for a caller as a push would: the transaction checks the right to push again, pulls follow, and the first
 * branch of an empty repository becomes the default branch.
 */
export async function moveRef(ports: Ports, input: MoveRefInput): Promise<RefUpdateResult> {
  const { repositoryId, caller, ref, old, now } = input;
  const move = { ref, old, new: input.new };
  return changeRefs(ports, {
    repositoryId,
    refs: [move],
    now,
    actorId: caller.account.id,
    check: async (sql) => {
      await authorizeRepository(sql, caller, { id: repositoryId }, mayPush);
      await refuseProtectedMove(sql, repositoryId, caller, { ref, how: updateKind(input) });
      await input.check?.(sql);
    },
  });
}

function updateKind(input: MoveRefInput): RefUpdateKind {
  if (input.new === noObject) return 'deleted';
  return input.isForced ? 'forced' : 'fast-forward';
}

/** Attempts at any other change whose ref moves concurrently, before the caller gets an error. */
export const attemptsMax = 10;
