import { serverSignature } from '../accounts/signature.ts';
import type { GitRepository, Signature } from '../git/git.ts';
import { noObject, type ObjectId, pullHeadRef, pullMergeRef } from '../git/names.ts';
import type { Ports } from '../ports/ports.ts';
import { writeRepository } from '../events/invalidate.ts';
import { unlessDeleted } from '../repositories/get-repository.ts';
import { computePullStats } from './diff-stat.ts';
import { rebasedCommitsMax } from './merge-methods.ts';
import { recordTestMerge } from './merge-store.ts';
import { findPullById } from './pull-store.ts';
import { hasCurrentTestMerge, type Pull, type TestMerge } from '../model/pull.ts';

/** Finds out in the background whether the pull can be merged (docs/specification/forge.md 12.9). */
export function scheduleMergeabilityCheck(ports: Ports, pullId: number): void {
  ports.background.run(`test merge of pull ${pullId}`, () => checkMergeability(ports, pullId));
}

/**
 * Makes a real test merge of the pull's current commits, stores it as `refs/pull/N/merge` and records the result. If a branch
 * moves meanwhile, the result is discarded and the next read of the pull starts another test.
 */
async function checkMergeability(ports: Ports, pullId: number): Promise<void> {
  const pull = await ports.database.read((sql) => findPullById(sql, pullId));
  if (!pull || pull.state === 'closed' || hasCurrentTestMerge(pull)) return;
  const again = (): void => scheduleMergeabilityCheck(ports, pullId);
  if (ports.testHolds?.holdsMergeability(pull.repositoryId, pullId, again)) return;
  await unlessDeleted(
    ports.database,
    pull.repositoryId,
    () => recordMergeability(ports, pull),
    () => undefined,
  );
}

async function recordMergeability(ports: Ports, pull: Pull): Promise<void> {
  const repository = ports.git.repository(pull.repositoryId);
  await makeHeadRef(repository, pull);
  const committer = serverSignature(ports.clock.now(), 0);
  const size = await computePullStats(repository, pull.base.sha, pull.head.sha);
  const test = await tryMerge(repository, pull, size.commits, committer);
  await repository.updateRefs([
    {
      ref: pullMergeRef(pull.number),
      old: undefined,
      new: test.clean && test.commit ? test.commit : noObject,
    },
  ]);
  await writeRepository(ports.database, pull.repositoryId, (sql) =>
    recordTestMerge(sql, pull, test, size),
  );
}

/** A crash right after the pull was opened leaves it without `refs/pull/N/head`: the first test merge creates it. */
async function makeHeadRef(repository: GitRepository, pull: Pull): Promise<void> {
  const ref = pullHeadRef(pull.number);
  if (await repository.readRef(ref)) return;
  // If a push created the ref meanwhile, that value is newer and stays.
  await repository.updateRefs([{ ref, old: noObject, new: pull.head.sha }]);
}

async function tryMerge(
  repository: GitRepository,
  pull: Pull,
  commits: number,
  committer: Signature,
): Promise<TestMerge> {
  const shas = {
    baseSha: pull.base.sha,
    headSha: pull.head.sha,
    behind: !(await repository.isAncestor(pull.base.sha, pull.head.sha)),
  };
  const merged = await repository.mergeTrees(pull.base.sha, pull.head.sha);
  if (merged.kind !== 'clean') return { ...shas, clean: false, rebaseable: false, commit: null };
  const commit: ObjectId = await repository.writeCommit({
    tree: merged.tree,
    parents: [pull.base.sha, pull.head.sha],
    author: committer,
    committer,
    message: `Merge ${pull.head.sha} into ${pull.base.sha}`,
  });
  const rebaseable =
    commits <= rebasedCommitsMax && (await repository.testRebase(pull.base.sha, pull.head.sha));
  return { ...shas, clean: true, rebaseable, commit };
}
