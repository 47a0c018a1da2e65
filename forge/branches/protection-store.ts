import type { Sql } from '#platform/database/database.ts';

import { placeholders } from '../accounts/account-store.ts';
import type { RepositoryWrite } from '../events/invalidate.ts';
import type { RequiredContext } from '../model/check-run.ts';
import type { BranchProtection, Pushers } from './protection-rules.ts';

interface RulesRow {
  id: number;
  branch: string;
  contexts: string | null;
  strict: number;
  approvals: number | null;
  dismiss_stale: number;
  enforce_admins: number;
  restricted: number;
  allow_force_pushes: number;
  allow_deletions: number;
}

const columns = `id, branch, contexts, strict, approvals, dismiss_stale, enforce_admins, restricted,
  allow_force_pushes, allow_deletions`;

export async function findRules(
  sql: Sql,
  repositoryId: number,
  branch: string,
): Promise<BranchProtection | undefined> {
  const row = await sql.get<RulesRow>(
    `select ${columns} from branch_rules where repository_id = $1 and branch = $2`,
    repositoryId,
    branch,
  );
  return row && (await rulesFromRows(sql, [row]))[0];
}

/** The rules of all branch names of a repository, whether there is such a branch now or not. */
export async function listRules(sql: Sql, repositoryId: number): Promise<BranchProtection[]> {
  const rows = await sql.all<RulesRow>(
    `select ${columns} from branch_rules where repository_id = $1 order by branch`,
    repositoryId,
  );
  return rulesFromRows(sql, rows);
}

/** The names alone: what lists of branches need. */
export async function protectedBranches(sql: Sql, repositoryId: number): Promise<Set<string>> {
  const rows = await sql.all<{ branch: string }>(
    `select branch from branch_rules where repository_id = $1`,
    repositoryId,
  );
  return new Set(rows.map((row) => row.branch));
}

/** Replaces the rules of a branch. */
export async function putRules(
  sql: RepositoryWrite,
  repositoryId: number,
  rules: BranchProtection,
): Promise<void> {
  const { statusChecks, reviews } = rules;
  const row = await sql.get<{ id: number }>(
    `insert into branch_rules (repository_id, branch, contexts, strict, approvals, dismiss_stale, enforce_admins,
       restricted, allow_force_pushes, allow_deletions)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)
     on conflict (repository_id, branch) do update set contexts = excluded.contexts, strict = excluded.strict,
       approvals = excluded.approvals, dismiss_stale = excluded.dismiss_stale,
       enforce_admins = excluded.enforce_admins, restricted = excluded.restricted,
       allow_force_pushes = excluded.allow_force_pushes, allow_deletions = excluded.allow_deletions
     returning id`,
    repositoryId,
    rules.branch,
    statusChecks ? JSON.stringify(statusChecks.checks.map(storedCheck)) : null,
    Number(statusChecks?.strict ?? false),
    reviews?.approvals ?? null,
    Number(reviews?.dismissStale ?? false),
    Number(rules.enforceAdmins),
    Number(rules.pushers !== undefined),
    Number(rules.allowForcePushes),
    Number(rules.allowDeletions),
  );
  if (!row) throw new Error('insert into branch_rules returned no row');
  await putPushers(sql, row.id, rules.pushers);
}

async function putPushers(
  sql: RepositoryWrite,
  rulesId: number,
  pushers: Pushers | undefined,
): Promise<void> {
  await sql.run(`delete from branch_pushers where rules_id = $1`, rulesId);
  for (const id of new Set(pushers?.users)) {
    await sql.run(`insert into branch_pushers (rules_id, account_id) values ($1, $2)`, rulesId, id);
  }
  await sql.run(`delete from branch_pusher_teams where rules_id = $1`, rulesId);
  for (const id of new Set(pushers?.teams)) {
    await sql.run(
      `insert into branch_pusher_teams (rules_id, team_id) values ($1, $2)`,
      rulesId,
      id,
    );
  }
}

/** false when there were none. */
export async function deleteRules(
  sql: RepositoryWrite,
  repositoryId: number,
  branch: string,
): Promise<boolean> {
  const deleted = await sql.run(
    `delete from branch_rules where repository_id = $1 and branch = $2`,
    repositoryId,
    branch,
  );
  return deleted > 0;
}

async function rulesFromRows(sql: Sql, rows: readonly RulesRow[]): Promise<BranchProtection[]> {
  const restricted = rows.flatMap((row) => (row.restricted === 1 ? [row.id] : []));
  const users = await namedBy(sql, 'branch_pushers', 'account_id', restricted);
  const teams = await namedBy(sql, 'branch_pusher_teams', 'team_id', restricted);
  return rows.map((row) => ({
    branch: row.branch,
    statusChecks:
      row.contexts === null
        ? undefined
        : { strict: row.strict === 1, checks: parseChecks(row.contexts) },
    reviews:
      row.approvals === null
        ? undefined
        : { approvals: row.approvals, dismissStale: row.dismiss_stale === 1 },
    enforceAdmins: row.enforce_admins === 1,
    pushers:
      row.restricted === 1
        ? { users: users.get(row.id) ?? [], teams: teams.get(row.id) ?? [] }
        : undefined,
    allowForcePushes: row.allow_force_pushes === 1,
    allowDeletions: row.allow_deletions === 1,
  }));
}

/** The ids that a table names for each of these rules, in their order. */
async function namedBy(
  sql: Sql,
  table: 'branch_pushers' | 'branch_pusher_teams',
  column: 'account_id' | 'team_id',
  rulesIds: readonly number[],
): Promise<Map<number, number[]>> {
  const named = new Map<number, number[]>();
  if (rulesIds.length === 0) return named;
  const rows = await sql.all<{ rules_id: number; named_id: number }>(
    `select rules_id, ${column} as named_id from ${table}
     where rules_id in (${placeholders(rulesIds.length)}) order by ${column}`,
    ...rulesIds,
  );
  for (const { rules_id: id, named_id: namedId } of rows) {
    named.set(id, [...(named.get(id) ?? []), namedId]);
  }
  return named;
}

/** Checks as their column has them, a JSON array: a text for each context that anybody may report, else an object. */
type StoredCheck = string | { readonly context: string; readonly app_id: number };

function storedCheck({ context, appId }: RequiredContext): StoredCheck {
  return appId === null ? context : { context, app_id: appId };
}

function parseChecks(text: string): RequiredContext[] {
  const stored: readonly StoredCheck[] = JSON.parse(text);
  return stored.map((check) =>
    typeof check === 'string'
      ? { context: check, appId: null }
      : { context: check.context, appId: check.app_id },
  );
}
