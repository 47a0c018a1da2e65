import type { Sql } from '#platform/database/database.ts';

import type { Repository } from '../model/repository.ts';

/** The relation of an author to a repository, highest first. */
export type AuthorAssociation = 'OWNER' | 'MEMBER' | 'COLLABORATOR' | 'CONTRIBUTOR' | 'NONE';

/** The association of each author, in one statement. A contributor is the author of a merged pull. */
export async function associationsOf(
  sql: Sql,
  repository: Repository,
  authorIds: Iterable<number>,
): Promise<Map<number, AuthorAssociation>> {
  const authors = Array.from(authorIds, (authorId) => ({ repositoryId: repository.id, authorId }));
  return (await associationsIn(sql, authors)).get(repository.id) ?? new Map();
}

/** Like `associationsOf`, in several repositories and still one statement; by repository and author. */
export async function associationsIn(
  sql: Sql,
  authors: Iterable<{ readonly repositoryId: number; readonly authorId: number }>,
): Promise<Map<number, Map<number, AuthorAssociation>>> {
  const wanted = new Map(
    Array.from(authors, ({ repositoryId, authorId }) => [
      `${repositoryId} ${authorId}`,
      [repositoryId, authorId] as const,
    ]),
  );
  if (wanted.size === 0) return new Map();
  const values = Array.from(
    { length: wanted.size },
    (_, index) => `(cast($${2 * index + 1} as bigint), cast($${2 * index + 2} as bigint))`,
  );
  const rows = await sql.all<{
    repository_id: number;
    owner_id: number;
    id: number;
    member: number;
    collaborator: number;
    contributor: number;
  }>(
    `with wanted (repository_id, account_id) as (values ${values.join(', ')})
     select r.id as repository_id, r.owner_id, a.id,
       (select count(*) from organization_members m where m.organization_id = r.owner_id and m.user_id = a.id) as member,
       (select count(*) from collaborators c where c.repository_id = r.id and c.account_id = a.id) as collaborator,
       case when exists (select 1 from issues i join pulls p on p.id = i.id
         where i.repository_id = r.id and i.author_id = a.id and p.merged = 1) then 1 else 0 end as contributor
     from wanted w join repositories r on r.id = w.repository_id join accounts a on a.id = w.account_id`,
    ...[...wanted.values()].flat(),
  );
  const found = Map.groupBy(rows, (row) => row.repository_id);
  return new Map(
    Array.from(found, ([id, of]) => [id, new Map(of.map((row) => [row.id, associationOf(row)]))]),
  );
}

function associationOf(row: {
  readonly owner_id: number;
  readonly id: number;
  readonly member: number;
  readonly collaborator: number;
  readonly contributor: number;
}): AuthorAssociation {
  if (row.id === row.owner_id) return 'OWNER';
  if (row.member > 0) return 'MEMBER';
  if (row.collaborator > 0) return 'COLLABORATOR';
  return row.contributor > 0 ? 'CONTRIBUTOR' : 'NONE';
}
