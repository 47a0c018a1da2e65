import type { Sql } from '#platform/database/database.ts';

import { placeholders } from '../accounts/account-store.ts';
import type { RepositoryWrite } from '../events/invalidate.ts';
import type { Issue } from '../model/issue.ts';
import type { Label } from '../model/label.ts';
import { addOpenIssues, takeNumber } from '../repositories/repository-store.ts';

/** Where an issue is now that had another number in another repository. */
export interface TransferredIssue {
  readonly formerNumber: number;
  readonly repositoryId: number;
  readonly number: number;
  readonly title: string;
}

/**
 * Moves an issue, that is no pull, with all that belongs to it, and returns its new number. The old number leads to it and is not
 * given again. Labels are matched by name, the milestone by title and due date; what has no match is lost.
 */
export async function moveIssue(
  sql: RepositoryWrite,
  { id, repositoryId, number, state }: Issue,
  to: { readonly repositoryId: number; readonly pinned: boolean; readonly now: number },
): Promise<number> {
  const next = await takeNumber(sql, to.repositoryId);
  await sql.run(
    `insert into transferred_issues (repository_id, number, issue_id) values ($1, $2, $3)`,
    repositoryId,
    number,
    id,
  );
  await sql.run(
    `update issues set repository_id = $2, number = $3, updated_at = $4,
       pinned_at = case when $5 = 1 then pinned_at end,
       milestone_id = (select min(t.id) from milestones s join milestones t on t.title = s.title
         and coalesce(t.due_at, -1) = coalesce(s.due_at, -1)
         where s.id = issues.milestone_id and t.repository_id = $2)
     where id = $1`,
    id,
    to.repositoryId,
    next,
    to.now,
    Number(to.pinned),
  );
  await replaceLabels(sql, id, to.repositoryId);
  for (const table of ['issue_comments', 'issue_events', 'notification_threads', 'activities']) {
    await sql.run(
      `update ${table} set repository_id = $2 where issue_id = $1`,
      id,
      to.repositoryId,
    );
  }
  await forgetCommits(sql, id);
  if (state === 'open') {
    await addOpenIssues(sql, repositoryId, -1);
    await addOpenIssues(sql, to.repositoryId, 1);
  }
  return next;
}

async function replaceLabels(
  sql: RepositoryWrite,
  issueId: number,
  repositoryId: number,
): Promise<void> {
  await sql.run(
    `insert into issue_labels (issue_id, label_id)
     select x.issue_id, t.id from issue_labels x join labels s on s.id = x.label_id
       join labels t on t.name_key = s.name_key
     where x.issue_id = $1 and t.repository_id = $2`,
    issueId,
    repositoryId,
  );
  await sql.run(
    `delete from issue_labels where issue_id = $1
       and label_id not in (select id from labels where repository_id = $2)`,
    issueId,
    repositoryId,
  );
}

/** Its events name commits of the former repository, which the new one does not have and its readers may not see. */
async function forgetCommits(sql: RepositoryWrite, issueId: number): Promise<void> {
  const rows = await sql.all<{ id: number; details: string }>(
    `select id, details from issue_events where issue_id = $1 and event = 'closed'`,
    issueId,
  );
  for (const { id, details } of rows) {
    const { commit, ...rest }: { commit?: string } = JSON.parse(details);
    if (commit === undefined) continue;
    await sql.run(`update issue_events set details = $2 where id = $1`, id, JSON.stringify(rest));
  }
}

/** The labels of an issue whose names the repository does not have. */
export async function labelsLackingIn(
  sql: Sql,
  issueId: number,
  repositoryId: number,
): Promise<Label[]> {
  return sql.all<Label>(
    `select s.id, s.name, s.color, s.description from issue_labels x join labels s on s.id = x.label_id
     where x.issue_id = $1 and not exists
       (select 1 from labels t where t.repository_id = $2 and t.name_key = s.name_key) order by s.name_key`,
    issueId,
    repositoryId,
  );
}

/** Where the issues are that had these numbers once, in one statement. */
export async function findTransferred(
  sql: Sql,
  repositoryId: number,
  numbers: readonly number[],
): Promise<TransferredIssue[]> {
  if (numbers.length === 0) return [];
  return sql.all<TransferredIssue>(
    `select x.number as "formerNumber", i.repository_id as "repositoryId", i.number, i.title
     from transferred_issues x join issues i on i.id = x.issue_id
     where x.repository_id = $1 and x.number in (${placeholders(numbers.length, 2)})`,
    repositoryId,
    ...numbers,
  );
}
