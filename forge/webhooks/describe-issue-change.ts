import type { Sql } from '#platform/database/database.ts';

import { loadIssueRelations } from '../issues/describe-issues.ts';
import { representIssueSummary } from '../issues/issue-json.ts';
import { issuesById } from '../issues/issue-store.ts';
import type { Json } from '../json/json-values.ts';
import type { IssueChanged } from '../model/domain-event.ts';
import type { IssueSnapshot } from '../model/issue-snapshot.ts';
import { representRepository } from '../repositories/repository-json.ts';
import { repositoriesById } from '../repositories/repository-store.ts';
import type { PayloadContext } from './payload-context.ts';

type Representation = { [field: string]: Json };

/** The issue as it is; undefined if it is no longer in the repository. */
export async function describeIssueNow(
  sql: Sql,
  issueId: number,
  { repository, urls }: PayloadContext,
): Promise<Representation | undefined> {
  const issue = (await issuesById(sql, [issueId])).get(issueId);
  // It may have been transferred since, to where readers of this repository cannot follow.
  if (issue?.repositoryId !== repository.id) return undefined;
  const relations = await loadIssueRelations(sql, repository, [issue]);
  return representIssueSummary(issue, relations, 'json', urls);
}

/** The other end of a transfer. */
export async function describeTransfer(
  sql: Sql,
  { action, other }: IssueChanged,
  context: PayloadContext,
): Promise<Representation> {
  const id = other?.repositoryId ?? 0;
  const repository = other && (await repositoriesById(sql, [id])).get(id);
  if (!repository) return {};
  const issue = await describeSnapshot(sql, other, { ...context, repository });
  const shown = representRepository(repository, context.urls);
  const changes =
    action === 'transferred'
      ? { new_issue: issue, new_repository: shown }
      : { old_issue: issue, old_repository: shown };
  return { changes };
}

/** The issue as it was. */
export async function describeSnapshot(
  sql: Sql,
  { issue, labels, assigneeIds, milestone }: IssueSnapshot,
  { repository, urls }: PayloadContext,
): Promise<Representation> {
  const relations = await loadIssueRelations(sql, repository, [issue], {
    labels: new Map([[issue.id, labels]]),
    assigneeIds: new Map([[issue.id, assigneeIds]]),
    milestones: new Map(milestone ? [[issue.id, milestone]] : []),
  });
  return representIssueSummary(issue, relations, 'json', urls);
}
