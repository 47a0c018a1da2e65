import type { Sql } from '#platform/database/database.ts';
import { type PageBounds, selectPage } from '#platform/database/page-store.ts';

import type { GrantedPermission } from '../model/permission.ts';
import type { Invitation } from '../model/invitation.ts';

interface InvitationRow {
  id: number;
  repository_id: number;
  invitee_id: number;
  inviter_id: number;
  permission: GrantedPermission;
  created_at: number;
}

const columns = 'i.id, i.repository_id, i.invitee_id, i.inviter_id, i.permission, i.created_at';

export interface InvitationPage {
  readonly invitations: readonly Invitation[];
  readonly total: number;
}

/** The oldest first. */
export function listForRepository(
  sql: Sql,
  repositoryId: number,
  page: PageBounds,
): Promise<InvitationPage> {
  return listWhere(sql, 'i.repository_id = $1', repositoryId, page);
}

/** The oldest first, limited to repositories whose visibility the caller's token allows. */
export function listForInvitee(
  sql: Sql,
  inviteeId: number,
  visible: VisibleRepositories,
  page: PageBounds,
): Promise<InvitationPage> {
  return listWhere(sql, `i.invitee_id = $1 and ${conditions[visible]}`, inviteeId, page);
}

/** The repositories whose invitations an invitee sees; a token may be limited to public ones. */
export type VisibleRepositories = 'all' | 'public';

const conditions: Readonly<Record<VisibleRepositories, string>> = {
  all: `r.state = 'ready'`,
  public: `r.state = 'ready' and r.private = 0`,
};

/** An invitation of this invitee, even if expired; invitations of other users are not found. */
export async function findForInvitee(
  sql: Sql,
  id: number,
  inviteeId: number,
  visible: VisibleRepositories,
): Promise<Invitation | undefined> {
  const row = await sql.get<InvitationRow>(
    `select ${columns} from invitations i join repositories r on r.id = i.repository_id
     where i.id = $1 and i.invitee_id = $2 and ${conditions[visible]}`,
    id,
    inviteeId,
  );
  return row && invitationFromRow(row);
}

export async function findInRepository(
  sql: Sql,
  id: number,
  repositoryId: number,
): Promise<Invitation | undefined> {
  const row = await sql.get<InvitationRow>(
    `select ${columns} from invitations i where i.id = $1 and i.repository_id = $2`,
    id,
    repositoryId,
  );
  return row && invitationFromRow(row);
}

/** The only invitation of an account to a repository, if there is one. */
export async function findByInvitee(
  sql: Sql,
  repositoryId: number,
  inviteeId: number,
): Promise<Invitation | undefined> {
  const row = await sql.get<InvitationRow>(
    `select ${columns} from invitations i where i.repository_id = $1 and i.invitee_id = $2`,
    repositoryId,
    inviteeId,
  );
  return row && invitationFromRow(row);
}

/** Fails with a unique violation if the account is already invited. */
export async function insertInvitation(
  sql: Sql,
  invitation: Omit<Invitation, 'id'>,
): Promise<Invitation> {
  const row = await sql.get<{ id: number }>(
    `insert into invitations (repository_id, invitee_id, inviter_id, permission, created_at)
     values ($1, $2, $3, $4, $5) returning id`,
    invitation.repositoryId,
    invitation.inviteeId,
    invitation.inviterId,
    invitation.permission,
    invitation.createdAt,
  );
  if (!row) throw new Error('insert into invitations returned no row');
  return { ...invitation, id: row.id };
}

export async function offer(
  sql: Sql,
  invitation: Invitation,
  permission: GrantedPermission,
): Promise<Invitation> {
  await sql.run(`update invitations set permission = $2 where id = $1`, invitation.id, permission);
  return { ...invitation, permission };
}

/** false if it was already deleted: of concurrent requests to accept, decline or cancel, only one succeeds. */
export async function removeInvitation(sql: Sql, invitation: Invitation): Promise<boolean> {
  const removed = await sql.run(`delete from invitations where id = $1`, invitation.id);
  if (removed === 0) return false;
  return true;
}

async function listWhere(
  sql: Sql,
  condition: string,
  value: number,
  page: PageBounds,
): Promise<InvitationPage> {
  const from = `invitations i join repositories r on r.id = i.repository_id where ${condition}`;
  const list = { columns, from, values: [value], order: 'i.id' };
  const { rows, total } = await selectPage<InvitationRow>(sql, list, page);
  return { invitations: rows.map(invitationFromRow), total };
}

function invitationFromRow(row: InvitationRow): Invitation {
  return {
    id: row.id,
    repositoryId: row.repository_id,
    inviteeId: row.invitee_id,
    inviterId: row.inviter_id,
    permission: row.permission,
    createdAt: row.created_at,
  };
}
