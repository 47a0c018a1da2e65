import { claimOwner } from '../events/generation-store.ts';
import type { RepositoryWrite } from '../events/invalidate.ts';
import type { Account } from '../model/account.ts';
import { subscribeOwner } from './repository-life-store.ts';

/**
 * Moves a repository to another account and creates a redirect; the teams of its organization and the
 * installations that selected it lose access. Fails with a
 * unique violation if the name is taken.
 */
export async function changeOwner(
  sql: RepositoryWrite,
  repositoryId: number,
  ownerId: number,
  now: number,
): Promise<void> {
  await claimOwner(sql, ownerId);
  await sql.run(
    `insert into repository_redirects (owner_id, name_key, repository_id)
     select owner_id, name_key, id from repositories where id = $1
     on conflict (owner_id, name_key) do update set repository_id = excluded.repository_id`,
    repositoryId,
  );
  await sql.run(
    `delete from repository_redirects where owner_id = $2
       and name_key = (select name_key from repositories where id = $1)`,
    repositoryId,
    ownerId,
  );
  await sql.run(
    `update repositories set owner_id = $2, updated_at = $3 where id = $1`,
    repositoryId,
    ownerId,
    now,
  );
  await subscribeOwner(sql, repositoryId, now);
  // An owner who accepts it would become a collaborator of its own repository.
  await sql.run(
    `delete from invitations where repository_id = $1 and invitee_id = $2`,
    repositoryId,
    ownerId,
  );
  await sql.run(`delete from team_repositories where repository_id = $1`, repositoryId);
  await sql.run(`delete from app_installation_repositories where repository_id = $1`, repositoryId);
  await sql.run(
    `delete from branch_pusher_teams where rules_id in (select id from branch_rules where repository_id = $1)`,
    repositoryId,
  );
  await sql.run(
    `delete from team_review_requests where pull_id in (select id from pulls where repository_id = $1)`,
    repositoryId,
  );
}

/** Updates the owner of pull heads in a transferred repository; maintainers of a base are let into forks of users alone. */
export async function reassignHeads(
  sql: RepositoryWrite,
  repositoryId: number,
  owner: Account,
): Promise<void> {
  await sql.run(
    `update pulls set head_owner_id = $2, head_owner_login = $3, maintainer_can_modify = maintainer_can_modify * $4
     where head_repository_id = $1`,
    repositoryId,
    owner.id,
    owner.login,
    Number(owner.kind === 'user'),
  );
}
