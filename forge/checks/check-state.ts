import type { Sql } from '#platform/database/database.ts';

import type { ObjectId } from '../git/names.ts';
import { caseless } from '../model/account.ts';
import type { RequiredContext } from '../model/check-run.ts';
import { type CombinedState, rollUp, type StatusState } from '../model/commit-status.ts';
import { combinedStates, latestStates } from '../statuses/status-store.ts';
import { latestCheckStates } from './check-store.ts';

/** The state of all statuses and check runs of a commit together. */
export async function combinedCheckState(
  sql: Sql,
  repositoryId: number,
  sha: ObjectId,
): Promise<CombinedState> {
  const states = await combinedCheckStates(sql, repositoryId, [sha]);
  return states.get(sha) ?? 'none';
}

/** As above for several commits, in two statements; every commit has an entry. */
export async function combinedCheckStates(
  sql: Sql,
  repositoryId: number,
  shas: readonly ObjectId[],
): Promise<Map<ObjectId, CombinedState>> {
  const statuses = await combinedStates(sql, repositoryId, shas);
  const checks = Map.groupBy(
    await latestCheckStates(sql, repositoryId, shas),
    (check) => check.sha,
  );
  const combined = new Map<ObjectId, CombinedState>();
  for (const [sha, status] of statuses) {
    const ofRuns = (checks.get(sha) ?? []).map(({ state }) => state);
    const states = [...(status === 'none' ? [] : [status]), ...ofRuns];
    const count = (state: CombinedState): number => states.filter((each) => each === state).length;
    const contexts = states.length;
    combined.set(sha, rollUp({ contexts, failing: count('failure'), pending: count('pending') }));
  }
  return combined;
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
  const runs = await latestCheckStates(sql, repositoryId, [sha]);
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
