import type { Sql } from '#platform/database/database.ts';

import { emitEvent } from '../events/event-outbox-store.ts';
import type { RepositoryWrite } from '../events/invalidate.ts';
import type { Issue, IssueChange } from '../model/issue.ts';
import { addOpenIssues } from '../repositories/repository-store.ts';
import { attributesOf } from './issue-attributes.ts';

/** Deletes an issue, that is no pull, with all that belongs to it. Its number stays taken. */
export async function deleteIssueRows(
  sql: RepositoryWrite,
  issue: Issue,
  { actorId, now }: IssueChange,
): Promise<void> {
  const { id, repositoryId, number, state } = issue;
  const { labels, assigneeIds, milestones } = await attributesOf(sql, [id]);
  await sql.run(`delete from issues where id = $1 and is_pull = 0`, id);
  await sql.run(
    `insert into deleted_issues (repository_id, number) values ($1, $2)`,
    repositoryId,
    number,
  );
  if (state === 'open') await addOpenIssues(sql, repositoryId, -1);
  const last = {
    issue,
    labels: labels.get(id) ?? [],
    assigneeIds: assigneeIds.get(id) ?? [],
    milestone: milestones.get(id) ?? null,
  };
  const deleted = { event: 'issues', action: 'deleted', issueId: id, actorId, last } as const;
  await emitEvent(sql, repositoryId, deleted, now);
}

/** Whether an issue had this number and was deleted. */
export async function wasDeleted(sql: Sql, repositoryId: number, number: number): Promise<boolean> {
  const row = await sql.get(
    `select 1 as found from deleted_issues where repository_id = $1 and number = $2`,
    repositoryId,
    number,
  );
  return row !== undefined;
}
