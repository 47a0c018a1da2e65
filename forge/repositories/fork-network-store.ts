import type { Sql } from '#platform/database/database.ts';

import { createNetwork, type RepositoryWrite } from '../events/invalidate.ts';
import type { Repository } from '../model/repository.ts';

/**
 * Gives the forks of a repository another parent: the repository's own parent, or, if it is the root of its network, the
 * oldest fork, which becomes the root.
 */
export async function reparentForks(sql: RepositoryWrite, repository: Repository): Promise<void> {
  let parentId = repository.parentId;
  if (parentId === null) {
    const newRoot = await sql.get<{ id: number }>(
      `select id from repositories where parent_id = $1
       order by case state when 'ready' then 0 else 1 end, id limit 1`,
      repository.id,
    );
    if (!newRoot) return;
    parentId = newRoot.id;
    await sql.run(`update repositories set parent_id = null where id = $1`, parentId);
  }
  await sql.run(
    `update repositories set parent_id = $2 where parent_id = $1`,
    repository.id,
    parentId,
  );
}

/** Whether the network contains other repositories. */
export async function hasForks(sql: Sql, repository: Repository): Promise<boolean> {
  const row = await sql.get(
    `select 1 as found from repositories where network_id = $1 and id <> $2 limit 1`,
    repository.networkId,
    repository.id,
  );
  return row !== undefined;
}

/** Moves a repository to a new network of its own. */
export async function detachFromNetwork(
  sql: RepositoryWrite,
  repository: Repository,
): Promise<void> {
  await sql.run(
    `update repositories set network_id = $2, parent_id = null where id = $1`,
    repository.id,
    (await createNetwork(sql, { sameAsRepository: repository.id })).id,
  );
}

/** The cross-repository pulls of a repository: those from it, or also those into it. */
const shared = {
  from: `p.head_repository_id = $1 and p.repository_id <> $1`,
  both: `(p.head_repository_id = $1 and p.repository_id <> $1
    or p.repository_id = $1 and p.head_repository_id <> $1)`,
} as const;

/**
 * Closes such pulls and unlinks their head repository, whose branches they can no longer follow. Writes that were planned
 * before it, such as a new pull from the repository, must plan again.
 */
export async function closeCrossRepositoryPulls(
  sql: RepositoryWrite,
  repositoryId: number,
  which: keyof typeof shared,
  now: number,
): Promise<void> {
  await sql.run(
    `update repositories set refs_version = refs_version + 1 where id = $1`,
    repositoryId,
  );
  await sql.run(
    `update repositories set open_issues = open_issues -
       (select count(*) from pulls p where p.repository_id = repositories.id and p.open = 1 and ${shared[which]})
     where id in (select p.repository_id from pulls p where p.open = 1 and ${shared[which]})`,
    repositoryId,
  );
  await sql.run(
    `update issues set state = 'closed', closed_at = $2, updated_at = $2
     where id in (select p.id from pulls p where p.open = 1 and ${shared[which]})`,
    repositoryId,
    now,
  );
  await sql.run(
    `update pulls set open = 0, head_repository_id = null
     where id in (select p.id from pulls p where ${shared[which]})`,
    repositoryId,
  );
}
