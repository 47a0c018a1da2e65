import type { UserCaller } from '../model/caller.ts';
import { notFound } from '../errors/api-error.ts';
import type { Ports } from '../ports/ports.ts';
import { type Repository } from '../model/repository.ts';
import { writeRepository, type RepositoryWrite } from '../events/invalidate.ts';
import { findIssue } from './issue-store.ts';
import type { Issue, IssueChange } from '../model/issue.ts';

/** Runs a change of the issue with this number in one transaction; refuses anonymous callers and unknown numbers. */
export async function changeIssue<T>(
  { database }: Pick<Ports, 'database'>,
  repository: Repository,
  request: {
    readonly path: { readonly issue_number: number };
    readonly caller: UserCaller;
    readonly now: number;
  },
  change: (sql: RepositoryWrite, change: IssueChange, issue: Issue) => Promise<T>,
): Promise<T> {
  const { caller, path, now } = request;
  const actorId = caller.account.id;
  return writeRepository(database, repository.id, async (sql) => {
    const issue = await findIssue(sql, repository.id, path.issue_number);
    if (!issue) return notFound();
    return change(sql, { issueId: issue.id, repositoryId: repository.id, actorId, now }, issue);
  });
}
