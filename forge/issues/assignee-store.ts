import type { Sql } from '#platform/database/database.ts';
import { type PageBounds, selectPage } from '#platform/database/page-store.ts';

import type { RepositoryWrite } from '../events/invalidate.ts';
import { permissions } from '../model/permission.ts';
import {
  type AccountRow,
  accountColumns,
  accountFromRow,
  placeholders,
} from '../accounts/account-store.ts';
import type { Account } from '../model/account.ts';
import type { Repository } from '../model/repository.ts';

/** The ids of each issue's assignees in order of assignment, in one statement. */
export async function assigneesOfIssues(
  sql: Sql,
  issueIds: readonly number[],
): Promise<Map<number, number[]>> {
  if (issueIds.length === 0) return new Map();
  const rows = await sql.all<{ issue_id: number; account_id: number }>(
    `select s.issue_id, s.account_id from issue_assignees s
     where s.issue_id in (${placeholders(issueIds.length)}) order by s.position, s.account_id`,
    ...issueIds,
  );
  const assignees = new Map<number, number[]>();
  for (const row of rows) {
    assignees.set(row.issue_id, [...(assignees.get(row.issue_id) ?? []), row.account_id]);
  }
  return assignees;
}

/** Returns false if the account was already assigned. */
export async function assign(
  sql: RepositoryWrite,
  issueId: number,
  accountId: number,
): Promise<boolean> {
  const assigned = await sql.run(
    `insert into issue_assignees (issue_id, account_id, position)
     values ($1, $2, (select coalesce(max(position), 0) + 1 from issue_assignees where issue_id = $1))
     on conflict do nothing`,
    issueId,
    accountId,
  );
  return assigned > 0;
}

/** Returns false if the account was not assigned. */
export async function unassign(
  sql: RepositoryWrite,
  issueId: number,
  accountId: number,
): Promise<boolean> {
  const unassigned = await sql.run(
    `delete from issue_assignees where issue_id = $1 and account_id = $2`,
    issueId,
    accountId,
  );
  return unassigned > 0;
}

/** Users who may push to repository $1 of owner $2, and so can be assigned to its issues. */
const pushers = `a.kind = 'user' and (a.id = $2
    or a.id in (select c.account_id from collaborators c
      where c.repository_id = $1 and c.permission in ('write', 'maintain', 'admin'))
    or a.id in (select m.user_id from organization_members m
      where m.organization_id = $2 and m.role = 'admin')
    or a.id in (select g.account_id from team_grants g
      where g.repository_id = $1 and g.level >= ${permissions.indexOf('write')}))`;

export async function listAssignable(
  sql: Sql,
  repository: Repository,
  page: PageBounds,
): Promise<{ accounts: Account[]; total: number }> {
  const values = [repository.id, repository.owner.id];
  const from = `accounts a where ${pushers}`;
  const list = { columns: accountColumns, from, values, order: 'a.id' };
  const { rows, total } = await selectPage<AccountRow>(sql, list, page);
  return { accounts: rows.map(accountFromRow), total };
}
