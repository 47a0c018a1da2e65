import type { Sql } from '#platform/database/database.ts';

import type { ObjectId } from '../git/names.ts';
import { caseless } from '../model/account.ts';
import { type CombinedState, rollUp, type StatusState } from '../model/commit-status.ts';
import { combinedState, latestStates } from '../statuses/status-store.ts';
import { latestCheckStates } from './check-store.ts';

/** The state of all statuses and check runs of a commit together. */
export async function combinedCheckState(
  sql: Sql,
  repositoryId: number,
  sha: ObjectId,
): Promise<CombinedState> {
  const statuses = await combinedState(sql, repositoryId, sha);
  const checks = await latestCheckStates(sql, repositoryId, sha);
  const states = [...(statuses === 'none' ? [] : [statuses]), ...checks.map(({ state }) => state)];
  return rollUp({
    contexts: states.length,
    failing: states.filter((state) => state === 'failure').length,
    pending: states.filter((state) => state === 'pending').length,
  });
}

/**
 * The state of each required check: of the status with this context and of the check runs with this name, the worst of them.
 * Those that nothing has reported are absent.
 */
export async function requiredCheckStates(
  sql: Sql,
  repositoryId: number,
  sha: ObjectId,
  contexts: readonly string[],
): Promise<Map<string, StatusState>> {
  const states = await latestStates(sql, repositoryId, sha, contexts);
  if (contexts.length === 0) return states;
  const checks = await latestCheckStates(sql, repositoryId, sha);
  for (const context of contexts) {
    const status = states.get(context);
    const reported = checks.flatMap(({ name, state }): StatusState[] =>
      caseless(name) === caseless(context) ? [state] : [],
    );
    const worst = worstOf(status === undefined ? reported : [status, ...reported]);
    if (worst !== undefined) states.set(context, worst);
  }
  return states;
}

function worstOf(states: readonly StatusState[]): StatusState | undefined {
  const order: readonly StatusState[] = ['error', 'failure', 'pending', 'success'];
  return order.find((state) => states.includes(state));
}
