import type { Sql } from '#platform/database/database.ts';

import { notFound, refuse } from '../errors/api-error.ts';
import { emitEvent } from '../events/event-outbox-store.ts';
import { writeRepository } from '../events/invalidate.ts';
import type { ObjectId } from '../git/names.ts';
import { type InstallationCaller, isInstallation, type UserCaller } from '../model/caller.ts';
import { type CheckRun, type CheckState, suiteStateOf } from '../model/check-run.ts';
import type { Ports } from '../ports/ports.ts';
import type { CheckRunInput } from './check-input.ts';
import {
  findCheckRun,
  insertAnnotations,
  insertCheckRun,
  type NewCheckRun,
  updateCheckRun,
} from './check-store.ts';
import {
  ensureSuite,
  findSuite,
  markRerequested,
  type SuiteKey,
  suiteOfCommit,
} from './check-suite-store.ts';

interface CheckRunRequest {
  readonly appId: number;
  readonly actorId: number;
  readonly repositoryId: number;
  readonly input: CheckRunInput;
  readonly now: number;
}

/** Only Apps write checks: refuses users who may push. */
export function requireApp(caller: UserCaller): InstallationCaller {
  if (isInstallation(caller)) return caller;
  return refuse({ kind: 'forbidden', message: 'You must authenticate via a GitHub App.' });
}

/** Creates a check run in the App's suite of the commit. */
export async function createCheckRun(
  { database }: Pick<Ports, 'database'>,
  { appId, actorId, repositoryId, input, now }: CheckRunRequest,
  commit: { readonly name: string; readonly sha: ObjectId; readonly branch: string | null },
): Promise<CheckRun> {
  const { name, sha, branch } = commit;
  return writeRepository(database, repositoryId, async (sql) => {
    const key = { repositoryId, appId, sha };
    const before = await isSuiteCompleted(sql, key);
    const suiteId = await ensureSuite(sql, key, branch, now);
    const state = input.state ?? { status: 'queued', conclusion: null };
    const run: NewCheckRun = {
      suiteId,
      repositoryId,
      appId,
      sha,
      name,
      state,
      detailsUrl: input.detailsUrl || null,
      externalId: input.externalId ?? null,
      startedAt: input.startedAt ?? now,
      completedAt: completedAt(state, input.completedAt, null, now),
      output: input.output ?? { title: null, summary: null, text: null },
      actions: input.actions ?? [],
    };
    const id = await insertCheckRun(sql, run);
    await insertAnnotations(sql, id, input.annotations);
    const event = { event: 'check_run', runId: id, appId, actorId } as const;
    await emitEvent(sql, repositoryId, { ...event, action: 'created' }, now);
    if (state.status === 'completed') {
      await emitEvent(sql, repositoryId, { ...event, action: 'completed' }, now);
    }
    await emitSuiteEvent(sql, { key, suiteId, before }, { actorId, now });
    return (await findCheckRun(sql, repositoryId, id)) ?? notFound();
  });
}

/** Changes what the request names. A completed run that gets another status has no conclusion any more. */
export async function changeCheckRun(
  { database }: Pick<Ports, 'database'>,
  { appId, actorId, repositoryId, input, now }: CheckRunRequest,
  id: number,
): Promise<CheckRun> {
  return writeRepository(database, repositoryId, async (sql) => {
    const run = (await findCheckRun(sql, repositoryId, id)) ?? notFound();
    if (run.appId !== appId) {
      return refuse({
        kind: 'forbidden',
        message: `Invalid app_id \`${appId}\` - check run can only be modified by the GitHub App that created it.`,
      });
    }
    const before = await isSuiteCompleted(sql, run);
    const state = input.state ?? run.state;
    await updateCheckRun(sql, {
      ...run,
      name: input.name ?? run.name,
      state,
      detailsUrl: input.detailsUrl === undefined ? run.detailsUrl : input.detailsUrl || null,
      externalId: input.externalId === undefined ? run.externalId : input.externalId,
      startedAt: input.startedAt ?? run.startedAt,
      completedAt: completedAt(state, input.completedAt, run.completedAt, now),
      output: input.output
        ? {
            title: input.output.title ?? run.output.title,
            summary: input.output.summary ?? run.output.summary,
            text: input.output.text ?? run.output.text,
          }
        : run.output,
      actions: input.actions ?? run.actions,
    });
    await insertAnnotations(sql, id, input.annotations);
    const suiteId = await ensureSuite(sql, run, null, now);
    if (state.status === 'completed' && run.state.status !== 'completed') {
      const event = { event: 'check_run', action: 'completed', runId: id, appId } as const;
      await emitEvent(sql, repositoryId, { ...event, actorId }, now);
    }
    await emitSuiteEvent(sql, { key: run, suiteId, before }, { actorId, now });
    return (await findCheckRun(sql, repositoryId, id)) ?? notFound();
  });
}

/** Asks the App of a run to check again. The run itself stays as it is until the App changes it. */
export async function rerequestRun(
  { database }: Pick<Ports, 'database'>,
  { repositoryId, id, byAppId, actorId, now }: Rerequest,
): Promise<void> {
  await writeRepository(database, repositoryId, async (sql) => {
    const run = (await findCheckRun(sql, repositoryId, id)) ?? notFound();
    const { appId, suiteId } = run;
    if (byAppId !== undefined && byAppId !== appId) {
      refuse({
        kind: 'forbidden',
        message: `Invalid app_id \`${byAppId}\` - check run can only be rerequested by the GitHub App that created it.`,
      });
    }
    await markRerequested(sql, suiteId, now);
    const event = { event: 'check_run', action: 'rerequested', runId: id, appId } as const;
    await emitEvent(sql, repositoryId, { ...event, actorId }, now);
  });
}

/** Asks the App of a suite to check again. */
export async function rerequestSuite(
  { database }: Pick<Ports, 'database'>,
  { repositoryId, id, actorId, now }: Omit<Rerequest, 'byAppId'>,
): Promise<void> {
  await writeRepository(database, repositoryId, async (sql) => {
    const { appId } = (await findSuite(sql, repositoryId, id)) ?? notFound();
    await markRerequested(sql, id, now);
    const event = { event: 'check_suite', action: 'rerequested', suiteId: id, appId } as const;
    await emitEvent(sql, repositoryId, { ...event, actorId }, now);
  });
}

interface Rerequest {
  readonly repositoryId: number;
  readonly id: number;
  /** undefined: a user asks. */
  readonly byAppId: number | undefined;
  readonly actorId: number;
  readonly now: number;
}

async function isSuiteCompleted(sql: Sql, key: SuiteKey): Promise<boolean> {
  const suite = await suiteOfCommit(sql, key);
  return suite !== undefined && suiteStateOf(suite).status === 'completed';
}

/** Emits the event of a suite that a change of its runs has completed. */
async function emitSuiteEvent(
  sql: Sql,
  changed: { readonly key: SuiteKey; readonly suiteId: number; readonly before: boolean },
  { actorId, now }: { readonly actorId: number; readonly now: number },
): Promise<void> {
  const { key, suiteId, before } = changed;
  if (before || !(await isSuiteCompleted(sql, key))) return;
  const { appId, repositoryId } = key;
  const event = { event: 'check_suite', action: 'completed', suiteId, appId } as const;
  await emitEvent(sql, repositoryId, { ...event, actorId }, now);
}

function completedAt(
  state: CheckState,
  given: number | undefined,
  before: number | null,
  now: number,
): number | null {
  return state.status === 'completed' ? (given ?? before ?? now) : null;
}
