import type { GitRepository } from '../git/git.ts';
import { noObject, type ObjectId } from '../git/names.ts';
import type { RefIntent } from './intent-store.ts';
import type { RefMove } from '../git/ref-update.ts';

/**
 * Which moves of an interrupted change git made, judged by the refs' current values. A move was made if its ref has the new
 * value or has since moved on from it: to a commit that contains it, or by another change that is not recorded yet. A ref
 * that still has the old value did not move.
 */
export async function movesThatHappened(
  git: GitRepository,
  moves: readonly RefMove[],
  open: readonly RefIntent[],
): Promise<RefMove[]> {
  const others = Map.groupBy(
    open.flatMap((intent) => intent.refs),
    (move) => move.ref,
  );
  const happened: RefMove[] = [];
  for (const move of moves) {
    // The server that asked for it may be gone, or its connection: git goes on.
    const current = (await git.readRef(move.ref, 'after-moves')) ?? noObject;
    if (await wentThrough(git, move, current, others.get(move.ref) ?? [])) happened.push(move);
  }
  return happened;
}

async function wentThrough(
  git: GitRepository,
  move: RefMove,
  current: ObjectId,
  open: readonly RefMove[],
): Promise<boolean> {
  if (current === move.new) return true;
  if (current === move.old) return false;
  if (await contains(git, current, move.new)) return true;
  const rest = open.filter((other) => other.old !== move.old || other.new !== move.new);
  for (const next of rest.filter((other) => other.old === move.new)) {
    if (await wentThrough(git, next, current, rest)) return true;
  }
  return false;
}

async function contains(git: GitRepository, tip: ObjectId, commit: ObjectId): Promise<boolean> {
  if (tip === noObject || commit === noObject) return false;
  // The objects of an interrupted push may never have been stored.
  const [above, below] = [await git.objectInfo(tip), await git.objectInfo(commit)];
  return above?.type === 'commit' && below?.type === 'commit' && git.isAncestor(commit, tip);
}
