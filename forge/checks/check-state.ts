import type { Sql } from '#platform/database/database.ts';

import type { ObjectId } from '../git/names.ts';
import { caseless } from '../model/account.ts';
import type { RequiredContext } from '../model/check-run.ts';
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
 * The required checks of a commit with their states: of the status with this context and of the check runs with this name, the
 * worst of them. What another App or user reports does not count for a check that an App must report.
 */
export async function requiredCheckStates(
  sql: Sql,
  repositoryId: number,
  sha: ObjectId,
  required: readonly RequiredContext[],
): Promise<{ readonly context: string; readonly state: StatusState | undefined }[]> {
  if (required.length === 0) return [];
  const contexts = required.map(({ context }) => context);
  const statuses = await latestStates(sql, repositoryId, sha, contexts);
  const runs = await latestCheckStates(sql, repositoryId, sha);
  const reports = [...statuses, ...runs.map((run) => ({ ...run, context: run.name }))];
  return required.map(({ context, appId }) => {
    const counting = reports.filter(
      (report) =>
        caseless(report.context) === caseless(context) &&
        (appId === null || report.appId === appId),
    );
    return { context, state: worstOf(counting.map(({ state }) => state)) };
  });
}

function worstOf(states: readonly StatusState[]): StatusState | undefined {
  const order: readonly StatusState[] = ['error', 'failure', 'pending', 'success'];
  return order.find((state) => states.includes(state));
}
