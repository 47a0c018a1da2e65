import type { Sql } from '#platform/database/database.ts';

import { type AccountRow, accountColumns, accountFromRow } from '../accounts/account-store.ts';
import { emitEvent } from '../events/event-outbox-store.ts';
import type { RepositoryWrite } from '../events/invalidate.ts';
import type { Account, OrganizationRole } from '../model/account.ts';
import { type GrantedPermission, permissions } from '../model/permission.ts';
import type { Repository } from '../model/repository.ts';

/** A user with explicit access to a repository, and the resulting permission. */
export interface Collaborator {
  readonly account: Account;
  readonly permission: GrantedPermission;
}

/**
 * Which collaborators a list shows: `direct` leaves out those who have access only through the organization, `outside`
 * also leaves out all its members. The account that owns the repository is one of its own.
 */
export const collaboratorAffiliations = ['outside', 'direct', 'all'] as const;

type Affiliation = (typeof collaboratorAffiliations)[number];

interface CollaboratorPage {
  readonly collaborators: readonly Collaborator[];
  readonly total: number;
}

/** In the order of their accounts, each with the highest of the permissions they have. */
export async function listCollaborators(
  sql: Sql,
  repository: Repository,
  affiliation: Affiliation,
  page: { offset: number; size: number },
): Promise<CollaboratorPage> {
  const chosen = `from ${people} where ${conditions[affiliation]}`;
  const count = await sql.get<{ total: number }>(
    `select count(distinct p.account_id) as total ${chosen}`,
    repository.id,
    repository.owner.id,
  );
  const rows = await sql.all<AccountRow & { level: number }>(
    `select ${accountColumns}, q.level from
       (select p.account_id, max(p.level) as level ${chosen}
        group by p.account_id order by p.account_id limit $3 offset $4) q
     join accounts a on a.id = q.account_id order by a.id`,
    repository.id,
    repository.owner.id,
    page.size,
    page.offset,
  );
  return { collaborators: rows.map(collaboratorFromRow), total: count?.total ?? 0 };
}

/** Whether the account is listed as a collaborator of any affiliation. */
export async function isCollaborator(
  sql: Sql,
  repository: Repository,
  accountId: number,
): Promise<boolean> {
  const row = await sql.get(
    `select 1 as found from ${people} where p.account_id = $3 limit 1`,
    repository.id,
    repository.owner.id,
    accountId,
  );
  return row !== undefined;
}

/** What an account has in a repository already. */
interface AccountAffiliation {
  readonly permission: GrantedPermission | null;
  readonly memberRole: OrganizationRole | null;
}

export async function affiliationOf(
  sql: Sql,
  repository: Repository,
  accountId: number,
): Promise<AccountAffiliation> {
  const row = await sql.get<{
    permission: GrantedPermission | null;
    member_role: OrganizationRole | null;
  }>(
    `select
       (select permission from collaborators where repository_id = $1 and account_id = $3) as permission,
       (select role from organization_members
         where organization_id = $2 and user_id = $3) as member_role`,
    repository.id,
    repository.owner.id,
    accountId,
  );
  return { permission: row?.permission ?? null, memberRole: row?.member_role ?? null };
}

interface CollaboratorEntry {
  readonly repositoryId: number;
  readonly accountId: number;
  readonly permission: GrantedPermission;
  readonly now: number;
}

/** Grants the permission, replacing a previous one, which is returned. */
export async function putCollaborator(
  sql: RepositoryWrite,
  entry: CollaboratorEntry,
): Promise<GrantedPermission | null> {
  const before = await sql.get<{ permission: GrantedPermission }>(
    `select permission from collaborators where repository_id = $1 and account_id = $2`,
    entry.repositoryId,
    entry.accountId,
  );
  await sql.run(
    `insert into collaborators (repository_id, account_id, permission, created_at)
     values ($1, $2, $3, $4)
     on conflict (repository_id, account_id) do update set permission = excluded.permission`,
    entry.repositoryId,
    entry.accountId,
    entry.permission,
    entry.now,
  );
  return before?.permission ?? null;
}

/** Whether there was one. */
export async function removeCollaborator(
  sql: RepositoryWrite,
  repositoryId: number,
  accountId: number,
): Promise<boolean> {
  const removed = await sql.run(
    `delete from collaborators where repository_id = $1 and account_id = $2`,
    repositoryId,
    accountId,
  );
  return removed > 0;
}

const levelOf = (permission: GrantedPermission): number => permissions.indexOf(permission);

/**
 * All users with an explicit permission in repository $1 of owner $2, with a row for each source: the owning user,
 * collaborators, and the members and teams of the owning organization (repositories/repository-access.ts).
 */
const people = `(
    select o.id as account_id, ${levelOf('admin')} as level
      from accounts o where o.id = $2 and o.kind = 'user'
    union all
    select c.account_id, case c.permission
        ${permissions.map((permission, level) => `when '${permission}' then ${level}`).join(' ')} end
      from collaborators c where c.repository_id = $1
    union all
    select m.user_id, case m.role when 'admin' then ${levelOf('admin')} else ${levelOf('read')} end
      from organization_members m where m.organization_id = $2
    union all
    select g.account_id, g.level from team_grants g where g.repository_id = $1
  ) p`;

const granted = `exists (select 1 from collaborators d
    where d.repository_id = $1 and d.account_id = p.account_id)`;

const member = `exists (select 1 from organization_members e
    where e.organization_id = $2 and e.user_id = p.account_id)`;

const conditions: Readonly<Record<Affiliation, string>> = {
  all: '1 = 1',
  direct: `(p.account_id = $2 or ${granted})`,
  outside: `(${granted} and not ${member})`,
};

function collaboratorFromRow(row: AccountRow & { level: number }): Collaborator {
  const permission = permissions[row.level];
  if (permission === undefined || permission === 'none') {
    throw new Error(`account ${row.id} is listed without a permission`);
  }
  return { account: accountFromRow(row), permission };
}

/** Grants a permission and emits the event for a new collaborator or a changed permission. */
export async function grantPermission(
  sql: RepositoryWrite,
  entry: CollaboratorEntry,
  actorId: number,
): Promise<void> {
  const { repositoryId, accountId: memberId, permission: to, now } = entry;
  const from = await putCollaborator(sql, entry);
  if (from === to) return;
  const action = from === null ? 'added' : 'edited';
  const event = { event: 'member', action, memberId, actorId, permission: { from, to } } as const;
  await emitEvent(sql, repositoryId, event, now);
}
