import type { UserCaller } from '../model/caller.ts';
import { authorizeRepository, mayPush } from '../repositories/repository-access.ts';
import type { HowMoved } from '../branches/protection-rules.ts';
import { refuseProtectedMove } from './merge-block.ts';
import type { RefUpdateResult } from '../git/git.ts';
import { noObject, type ObjectId, type RefName } from '../git/names.ts';
import type { Ports } from '../ports/ports.ts';
import { changeRefs } from './change-refs.ts';

export interface MoveRefInput {
  readonly repositoryId: number;
  readonly caller: UserCaller;
  readonly ref: RefName;
  /** Where the ref is: exact, so that nobody's move is lost (`noObject`: nowhere). */
  readonly old: ObjectId;
  readonly new: ObjectId;
  readonly now: number;
  /** The ref leaves commits behind. */
  readonly isForced?: boolean;
}

/**
 * Moves a ref for a caller as a push of it would: the right to push is looked at again at the moment that counts, pulls
 * follow, and an empty repository takes its first branch for the default one.
 */
export async function moveRef(ports: Ports, input: MoveRefInput): Promise<RefUpdateResult> {
  const { repositoryId, caller, ref, old, now } = input;
  const move = { ref, old, new: input.new };
  return changeRefs(ports, {
    repositoryId,
    refs: [move],
    now,
    actorId: caller.account.id,
    guard: async (sql) => {
      await authorizeRepository(sql, caller, { id: repositoryId }, mayPush);
      await refuseProtectedMove(sql, repositoryId, caller, { ref, how: howMoved(input) });
    },
  });
}

function howMoved(input: MoveRefInput): HowMoved {
  if (input.new === noObject) return 'deleted';
  return input.isForced ? 'rewound' : 'onward';
}

/** A ref that moves under a change is looked at again so many times before the caller is told. */
export const attemptsMax = 10;
