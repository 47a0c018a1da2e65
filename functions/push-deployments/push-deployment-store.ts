import type { Sql } from '#platform/database/database.ts';
import { currentLineage } from '#platform/invocation-lineage.ts';

import { dueAheadMilliseconds, claimMilliseconds, type QueueClaim } from '../events/event-store.ts';

/** Notified when a push has made a deployment due. */
export const pushDeploymentsChannel = 'push deployments';

/** A branch whose pushes deploy functions. */
export interface PushDeployment {
  readonly id: number;
  readonly repositoryId: number;
  readonly branch: string;
  /** In the repository; '' is its root. */
  readonly folder: string;
  /** The user of the forge who created it. */
  readonly userId: number;
  /** The access key that created it. */
  readonly accessKeyId: string | undefined;
  readonly last: LastDeployment | undefined;
}

export interface LastDeployment {
  readonly commit: string;
  readonly state: 'success' | 'failure';
  readonly reason: string | undefined;
}

/** One that this server has claimed. */
export interface DuePushDeployment extends PushDeployment, QueueClaim {
  /** The pushes that the deployment covers. */
  readonly pushes: number;
  readonly lineage: string | undefined;
  /** Started since the last one with an outcome or the last push, including this one. */
  readonly attempts: number;
  /** Attempts that were put off since then. */
  readonly delays: number;
}

interface Row {
  id: number;
  repository_id: number;
  branch: string;
  folder: string;
  account_id: number;
  access_key_id: string | null;
  commit_sha: string | null;
  state: 'success' | 'failure' | null;
  reason: string | null;
  pushes: number;
  lineage: string | null;
  claims: number;
  attempts: number;
  delays: number;
}

const columns =
  'id, repository_id, branch, folder, account_id, access_key_id, commit_sha, state, reason, pushes, lineage, claims, attempts, delays';

type Named = Pick<PushDeployment, 'repositoryId' | 'branch' | 'folder'>;

/** Push deployments of a repository; then 409 `ResourceConflictException`. */
const ofRepositoryMax = 20;

export type Insertion = 'inserted' | 'exists' | 'full';

export async function insertPushDeployment(
  sql: Sql,
  { repositoryId, branch, folder, userId, accessKeyId }: Omit<PushDeployment, 'id' | 'last'>,
  now: number,
): Promise<Insertion> {
  const present = await sql.get<{ found: number }>(
    'select count(*) as found from function_push_deployments where repository_id = $1',
    repositoryId,
  );
  if ((present?.found ?? 0) >= ofRepositoryMax) return 'full';
  const inserted = await sql.run(
    `insert into function_push_deployments (repository_id, branch, folder, account_id, access_key_id, created_at)
     values ($1, $2, $3, $4, $5, $6) on conflict (repository_id, branch, folder) do nothing`,
    repositoryId,
    branch,
    folder,
    userId,
    accessKeyId ?? null,
    now,
  );
  return inserted === 1 ? 'inserted' : 'exists';
}

/** That of a user, or of anybody if none is given. False when there is none. */
export async function deletePushDeployment(
  sql: Sql,
  { repositoryId, branch, folder }: Named,
  userId: number | undefined,
): Promise<boolean> {
  const deleted = await sql.run(
    `delete from function_push_deployments
     where repository_id = $1 and branch = $2 and folder = $3
       and ($4 = 0 or account_id = $4)`,
    repositoryId,
    branch,
    folder,
    userId ?? 0,
  );
  return deleted > 0;
}

/** Ends one whose owner or access key has lost the access: it must not resume when the access returns. */
export async function endPushDeployment(sql: Sql, { id, claims }: QueueClaim): Promise<void> {
  await sql.run('delete from function_push_deployments where id = $1 and claims = $2', id, claims);
}

/** Those of a user, or all of a repository. */
export async function listPushDeployments(
  sql: Sql,
  of: { readonly userId: number } | { readonly repositoryId: number },
  { after, size }: { readonly after: number; readonly size: number },
): Promise<PushDeployment[]> {
  const rows = await sql.all<Row>(
    `select ${columns} from function_push_deployments where ${'userId' in of ? 'account_id' : 'repository_id'} = $1 and id > $2 order by id limit $3`,
    'userId' in of ? of.userId : of.repositoryId,
    after,
    size,
  );
  return rows.map(fromRow);
}

/** Makes the deployments of these branches due, in the transaction of the push. */
export async function recordPush(
  sql: Sql,
  repositoryId: number,
  branches: ReadonlySet<string>,
  now: number,
): Promise<void> {
  const rows = await sql.all<{ id: number; branch: string }>(
    'select id, branch from function_push_deployments where repository_id = $1',
    repositoryId,
  );
  const pushed = rows.filter(({ branch }) => branches.has(branch));
  for (const { id } of pushed) {
    // During a deployment, its end makes it due again.
    await sql.run(
      `update function_push_deployments set pushes = pushes + 1, attempts = 0, delays = 0, lineage = $3,
         due_at = case when claimed_by is null then cast($2 as bigint) else due_at end
       where id = $1`,
      id,
      now,
      currentLineage() ?? null,
    );
  }
  if (pushed.length > 0) sql.notify(pushDeploymentsChannel);
}

/** Those that have waited longest, at most so many of one account. */
export async function duePushDeployments(
  sql: Sql,
  now: number,
  { ofOneMax, limit }: { readonly ofOneMax: number; readonly limit: number },
): Promise<{ id: number; due_at: number; account_id: number }[]> {
  return sql.all(
    `select id, due_at, account_id from (
       select id, due_at, account_id,
         row_number() over (partition by account_id order by due_at, id) as turn
       from function_push_deployments where due_at <= $1 or due_at > $2
     ) as due where turn <= $3 order by due_at, id limit $4`,
    now,
    now + dueAheadMilliseconds,
    ofOneMax,
    limit,
  );
}

/**
 * Undefined when another server claimed it first. The attempt is counted already: one that ends the server must not be made at each
 * start.
 */
export async function claimPushDeployment(
  sql: Sql,
  { id, due_at }: { readonly id: number; readonly due_at: number },
  serverId: string,
  now: number,
): Promise<DuePushDeployment | undefined> {
  const row = await sql.get<Row>(
    `update function_push_deployments set due_at = $3, claimed_by = $4, claims = claims + 1, attempts = attempts + 1
     where id = $1 and due_at = $2 returning ${columns}`,
    id,
    due_at,
    now + claimMilliseconds,
    serverId,
  );
  if (!row) return undefined;
  const { claims, pushes, lineage, attempts, delays } = row;
  return { ...fromRow(row), claims, pushes, attempts, delays, lineage: lineage ?? undefined };
}

/** Records what came of a deployment, and makes it due again if there was a push meanwhile. Nothing if the claim was lost. */
export async function finishPushDeployment(
  sql: Sql,
  { id, claims, pushes }: Pick<DuePushDeployment, 'id' | 'claims' | 'pushes'>,
  last: LastDeployment | undefined,
  now: number,
): Promise<void> {
  await sql.run(
    `update function_push_deployments set commit_sha = $3, state = $4, reason = $5, finished_at = $6,
       claimed_by = null, attempts = 0, delays = 0, due_at = case when pushes = $7 then null else cast($6 as bigint) end
     where id = $1 and claims = $2`,
    id,
    claims,
    last?.commit ?? null,
    last?.state ?? null,
    last?.reason ?? null,
    now,
    pushes,
  );
}

const oneAttemptLess = 'attempts = case when attempts > 0 then attempts - 1 else 0 end';

/** The attempt was interrupted by an orderly stop. */
export async function uncountAttempt(sql: Sql, { id, claims }: QueueClaim): Promise<void> {
  await sql.run(
    `update function_push_deployments set ${oneAttemptLess} where id = $1 and claims = $2`,
    id,
    claims,
  );
}

/** Makes one due again that this server has claimed, after a storage failure: the attempt does not count. */
export async function releasePushDeployment(
  sql: Sql,
  serverId: string,
  id: number,
  now: number,
): Promise<void> {
  await sql.run(
    `update function_push_deployments set due_at = $3, claimed_by = null, ${oneAttemptLess}
     where id = $1 and claimed_by = $2`,
    id,
    serverId,
    now,
  );
}

/** Schedules another attempt, after one that does not count. */
export async function putOffPushDeployment(
  sql: Sql,
  { id, claims }: QueueClaim,
  at: number,
): Promise<void> {
  await sql.run(
    `update function_push_deployments set due_at = $3, claimed_by = null, delays = delays + 1, ${oneAttemptLess}
     where id = $1 and claims = $2`,
    id,
    claims,
    at,
  );
}

function fromRow(row: Row): PushDeployment {
  const { commit_sha: commit, state, reason } = row;
  return {
    id: row.id,
    repositoryId: row.repository_id,
    branch: row.branch,
    folder: row.folder,
    userId: row.account_id,
    accessKeyId: row.access_key_id ?? undefined,
    last:
      commit === null || state === null
        ? undefined
        : { commit, state, reason: reason ?? undefined },
  };
}
