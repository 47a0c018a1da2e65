import { notFound, refuse } from '../errors/api-error.ts';
import { writeRepository } from '../events/invalidate.ts';
import type { ObjectId } from '../git/names.ts';
import type { CheckRun, CheckState } from '../model/check-run.ts';
import type { Ports } from '../ports/ports.ts';
import type { CheckRunInput } from './check-input.ts';
import {
  findCheckRun,
  insertAnnotations,
  insertCheckRun,
  type NewCheckRun,
  updateCheckRun,
} from './check-store.ts';
import { ensureSuite } from './check-suite-store.ts';

interface CheckRunRequest {
  readonly appId: number;
  readonly repositoryId: number;
  readonly input: CheckRunInput;
  readonly now: number;
}

/** Creates a check run in the App's suite of the commit. */
export async function createCheckRun(
  { database }: Pick<Ports, 'database'>,
  { appId, repositoryId, input, now }: CheckRunRequest,
  commit: { readonly name: string; readonly sha: ObjectId; readonly branch: string | null },
): Promise<CheckRun> {
  const { name, sha, branch } = commit;
  return writeRepository(database, repositoryId, async (sql) => {
    const suiteId = await ensureSuite(sql, { repositoryId, appId, sha }, branch, now);
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
    return (await findCheckRun(sql, repositoryId, id)) ?? notFound();
  });
}

/** Changes what the request names. A completed run that gets another status has no conclusion any more. */
export async function changeCheckRun(
  { database }: Pick<Ports, 'database'>,
  { appId, repositoryId, input, now }: CheckRunRequest,
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
    await ensureSuite(sql, run, null, now);
    return (await findCheckRun(sql, repositoryId, id)) ?? notFound();
  });
}

function completedAt(
  state: CheckState,
  given: number | undefined,
  before: number | null,
  now: number,
): number | null {
  return state.status === 'completed' ? (given ?? before ?? now) : null;
}
