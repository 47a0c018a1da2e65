import type { Sql } from '#platform/database/database.ts';

/** A query for whether what a parameter of a path names is an issue or a pull, or belongs to one. */
const queries: Readonly<Record<string, string>> = {
  issue_number: 'select is_pull from issues where repository_id = $1 and number = $2',
  comment_id: `select i.is_pull from issue_comments c join issues i on i.id = c.issue_id
    where c.repository_id = $1 and c.id = $2`,
  event_id: `select i.is_pull from issue_events e join issues i on i.id = e.issue_id
    where e.repository_id = $1 and e.id = $2`,
};

/** undefined: the path names nothing of the kind, or nothing that exists. */
export async function issueKind(
  sql: Sql,
  repositoryId: number,
  parameters: Readonly<Record<string, string>>,
): Promise<'issue' | 'pull' | undefined> {
  for (const [name, query] of Object.entries(queries)) {
    const id = parameters[name];
    if (id === undefined || !/^[1-9]\d{0,14}$/.test(id)) continue;
    const row = await sql.get<{ is_pull: number }>(query, repositoryId, Number(id));
    if (row) return row.is_pull === 1 ? 'pull' : 'issue';
  }
  return undefined;
}
