import type { Sql } from '#platform/database/database.ts';

import type { RepositoryWrite } from '../events/invalidate.ts';
import { placeholders } from '../accounts/account-store.ts';
import { caseless } from '../model/account.ts';
import type { ObjectId } from '../git/names.ts';
import {
  type CombinedState,
  type CombinedStatus,
  type ContextCounts,
  rollUp,
  type CommitStatus,
  type StatusState,
  statusesPerContextMax,
} from '../model/commit-status.ts';

interface StatusRow {
  id: number;
  sha: ObjectId;
  context: string;
  state: StatusState;
  description: string | null;
  target_url: string | null;
  creator_id: number;
  created_at: number;
}

const columns = `s.id, s.sha, s.context, s.state, s.description, s.target_url, s.creator_id, s.created_at`;

export type NewStatus = Omit<CommitStatus, 'id'> & { readonly repositoryId: number };

/**
 * Adds a status as the latest of its context; undefined if the context is full, in which case the caller must roll back.
 * Concurrent writers of one context wait for its row lock, so that they cannot exceed the limit.
 */
export async function insertStatus(
  sql: RepositoryWrite,
  status: NewStatus,
): Promise<CommitStatus | undefined> {
  const row = await sql.get<{ id: number }>(
    `insert into commit_statuses
       (repository_id, sha, context, state, description, target_url, creator_id, created_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8) returning id`,
    status.repositoryId,
    status.sha,
    status.context,
    status.state,
    status.description,
    status.targetUrl,
    status.creatorId,
    status.createdAt,
  );
  if (!row) throw new Error('insert into commit_statuses returned no row');
  const counted = await sql.get(
    `insert into status_contexts (repository_id, sha, context_key, statuses, latest_id, latest_state)
     values ($1, $2, $3, 1, $4, $5)
     on conflict (repository_id, sha, context_key) do update
       set statuses = status_contexts.statuses + 1,
         latest_id = excluded.latest_id, latest_state = excluded.latest_state
       where status_contexts.statuses < ${statusesPerContextMax}
     returning statuses`,
    status.repositoryId,
    status.sha,
    caseless(status.context),
    row.id,
    status.state,
  );
  if (!counted) return undefined;
  return { ...status, id: row.id };
}

export interface StatusPage {
  readonly statuses: readonly CommitStatus[];
  readonly total: number;
}

/** All statuses of a commit, newest first. */
export async function listStatuses(
  sql: Sql,
  repositoryId: number,
  sha: ObjectId,
  page: { offset: number; size: number },
): Promise<StatusPage> {
  const count = await sql.get<{ total: number }>(
    `select coalesce(sum(statuses), 0) as total from status_contexts
     where repository_id = $1 and sha = $2`,
    repositoryId,
    sha,
  );
  const rows = await sql.all<StatusRow>(
    `select ${columns} from commit_statuses s where s.repository_id = $1 and s.sha = $2
     order by s.id desc limit $3 offset $4`,
    repositoryId,
    sha,
    page.size,
    page.offset,
  );
  return { statuses: rows.map(statusFromRow), total: count?.total ?? 0 };
}

export async function combinedStatus(
  sql: Sql,
  repositoryId: number,
  sha: ObjectId,
  page: { offset: number; size: number },
): Promise<CombinedStatus> {
  const counts = (await countContexts(sql, repositoryId, [sha])).get(sha) ?? noContexts;
  const rows = await sql.all<StatusRow>(
    `select ${columns} from status_contexts c join commit_statuses s on s.id = c.latest_id
     where c.repository_id = $1 and c.sha = $2 order by c.latest_id limit $3 offset $4`,
    repositoryId,
    sha,
    page.size,
    page.offset,
  );
  return {
    state: rollUp(counts),
    contexts: counts.contexts,
    statuses: rows.map(statusFromRow),
  };
}

/** The latest status of each context of several commits, the oldest first. */
export async function latestStatuses(
  sql: Sql,
  repositoryId: number,
  shas: Iterable<ObjectId>,
): Promise<Map<ObjectId, CommitStatus[]>> {
  const unique = [...new Set(shas)];
  if (unique.length === 0) return new Map();
  const rows = await sql.all<StatusRow>(
    `select ${columns} from status_contexts c join commit_statuses s on s.id = c.latest_id
     where c.repository_id = $1 and c.sha in (${placeholders(unique.length, 2)}) order by c.latest_id`,
    repositoryId,
    ...unique,
  );
  return Map.groupBy(rows.map(statusFromRow), ({ sha }) => sha);
}

/** The combined state of a commit, without its statuses. */
export async function combinedState(
  sql: Sql,
  repositoryId: number,
  sha: ObjectId,
): Promise<CombinedState> {
  const states = await combinedStates(sql, repositoryId, [sha]);
  return states.get(sha) ?? 'none';
}

/** The combined states of several commits of one repository, in one statement; every commit has an entry. */
export async function combinedStates(
  sql: Sql,
  repositoryId: number,
  shas: Iterable<ObjectId>,
): Promise<Map<ObjectId, CombinedState>> {
  const unique = [...new Set(shas)];
  const counts = await countContexts(sql, repositoryId, unique);
  return new Map(unique.map((sha) => [sha, rollUp(counts.get(sha) ?? noContexts)]));
}

/** The latest state of each of these contexts of a commit, with the App whose bot reported it; contexts without a status are absent. */
export async function latestStates(
  sql: Sql,
  repositoryId: number,
  sha: ObjectId,
  contexts: readonly string[],
): Promise<
  { readonly context: string; readonly state: StatusState; readonly appId: number | null }[]
> {
  const keys = [...new Set(contexts.map(caseless))];
  if (keys.length === 0) return [];
  const rows = await sql.all<{
    context_key: string;
    latest_state: StatusState;
    app_id: number | null;
  }>(
    `select c.context_key, c.latest_state, p.id as app_id from status_contexts c
       join commit_statuses s on s.id = c.latest_id left join apps p on p.bot_id = s.creator_id
     where c.repository_id = $1 and c.sha = $2 and c.context_key in (${placeholders(keys.length, 3)})`,
    repositoryId,
    sha,
    ...keys,
  );
  return rows.map((row) => ({
    context: row.context_key,
    state: row.latest_state,
    appId: row.app_id,
  }));
}

const noContexts: ContextCounts = { contexts: 0, failing: 0, pending: 0 };

async function countContexts(
  sql: Sql,
  repositoryId: number,
  shas: readonly ObjectId[],
): Promise<Map<ObjectId, ContextCounts>> {
  if (shas.length === 0) return new Map();
  const rows = await sql.all<ContextCounts & { sha: ObjectId }>(
    `select sha, count(*) as contexts,
       sum(case when latest_state in ('error', 'failure') then 1 else 0 end) as failing,
       sum(case when latest_state = 'pending' then 1 else 0 end) as pending
     from status_contexts where repository_id = $1 and sha in (${placeholders(shas.length, 2)})
     group by sha`,
    repositoryId,
    ...shas,
  );
  return new Map(rows.map((row) => [row.sha, row]));
}

function statusFromRow(row: StatusRow): CommitStatus {
  return {
    id: row.id,
    sha: row.sha,
    state: row.state,
    description: row.description,
    targetUrl: row.target_url,
    context: row.context,
    creatorId: row.creator_id,
    createdAt: row.created_at,
  };
}
