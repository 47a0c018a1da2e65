import type { Sql } from '#platform/database/database.ts';

import { placeholders } from '../accounts/account-store.ts';
import type { Repository } from '../model/repository.ts';

/** The relation of an author to a repository, highest first. */
export type AuthorAssociation = 'OWNER' | 'MEMBER' | 'COLLABORATOR' | 'CONTRIBUTOR' | 'NONE';

/** The association of each author, in one statement. A contributor is the author of a merged pull. */
export async function associationsOf(
  sql: Sql,
  repository: Repository,
  authorIds: Iterable<number>,
): Promise<Map<number, AuthorAssociation>> {
  const ids = [...new Set(authorIds)];
  if (ids.length === 0) return new Map();
  const rows = await sql.all<{
    id: number;
    member: number;
    collaborator: number;
    contributor: number;
  }>(
    `select a.id,
       (select count(*) from organization_members m where m.organization_id = $1 and m.user_id = a.id) as member,
       (select count(*) from collaborators c where c.repository_id = $2 and c.account_id = a.id) as collaborator,
       case when exists (select 1 from issues i join pulls p on p.id = i.id
         where i.repository_id = $2 and i.author_id = a.id and p.merged = 1) then 1 else 0 end as contributor
     from accounts a where a.id in (${placeholders(ids.length, 3)})`,
    repository.owner.id,
    repository.id,
    ...ids,
  );
  return new Map(
    rows.map((row) => {
      if (row.id === repository.owner.id) return [row.id, 'OWNER'];
      if (row.member > 0) return [row.id, 'MEMBER'];
      if (row.collaborator > 0) return [row.id, 'COLLABORATOR'];
      return [row.id, row.contributor > 0 ? 'CONTRIBUTOR' : 'NONE'];
    }),
  );
}
