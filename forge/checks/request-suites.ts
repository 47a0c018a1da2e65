import { emitEvent } from '../events/event-outbox-store.ts';
import type { RepositoryWrite } from '../events/invalidate.ts';
import type { ObjectId } from '../git/names.ts';
import { appsOfPushes, createSuite } from './check-suite-store.ts';

interface PushedBranch {
  readonly branch: string;
  /** null: the branch is new. */
  readonly before: ObjectId | null;
  readonly sha: ObjectId;
}

/** A push makes a suite for each App that writes checks in the repository, which is asked to begin its checks. */
export async function requestSuites(
  sql: RepositoryWrite,
  repositoryId: number,
  pushed: readonly PushedBranch[],
  actor: { readonly actorId: number | null; readonly now: number },
): Promise<void> {
  if (pushed.length === 0) return;
  const { actorId, now } = actor;
  for (const appId of await appsOfPushes(sql, repositoryId)) {
    for (const { branch, before, sha } of pushed) {
      const origin = { branch, before };
      const suiteId = await createSuite(sql, { repositoryId, appId, sha }, origin, now);
      if (suiteId === undefined) continue;
      const requested = { event: 'check_suite', action: 'requested', suiteId, appId } as const;
      await emitEvent(sql, repositoryId, { ...requested, actorId }, now);
    }
  }
}
