import type { Sql } from '#platform/database/database.ts';
import { counted, html, type Html, timeElement } from '#web/html.ts';

import { accountsById } from '../../accounts/account-store.ts';
import type { Account } from '../../model/account.ts';
import type { Issue } from '../../model/issue.ts';
import type { Caller } from '../../model/caller.ts';
import { atLeast } from '../../model/permission.ts';
import { fullName, type Repository } from '../../model/repository.ts';
import { issuesById } from '../../issues/issue-store.ts';
import { permissionsIn } from '../../repositories/repository-access.ts';
import { repositoriesById } from '../../repositories/repository-store.ts';
import type { FoundIssue } from '../../search/issue-search-store.ts';
import type { WebContext } from '../kit/web-context.ts';
import { loginOf } from './conversation.ts';

/** Issues and pulls of several repositories. */
export interface ListedIssues {
  readonly issues: readonly { readonly issue: Issue; readonly repository: Repository }[];
  readonly accounts: ReadonlyMap<number, Account>;
}

/** What a search has found, without what the viewer may not read any more. */
export async function loadFound(
  sql: Sql,
  found: readonly FoundIssue[],
  caller: Caller,
): Promise<ListedIssues> {
  const repositoryIds = new Set(found.map(({ repositoryId }) => repositoryId));
  const repositories = await repositoriesById(sql, repositoryIds);
  const permissions = await permissionsIn(sql, caller, repositoryIds);
  const byId = await issuesById(
    sql,
    found.map(({ id }) => id),
  );
  const issues = found.flatMap(({ id, repositoryId }) => {
    const [issue, repository] = [byId.get(id), repositories.get(repositoryId)];
    const mayRead = atLeast(permissions.get(repositoryId) ?? 'none', 'read');
    return issue && repository && mayRead ? [{ issue, repository }] : [];
  });
  const authors = issues.map(({ issue }) => issue.authorId);
  return { issues, accounts: await accountsById(sql, authors) };
}

export function foundIssueList(
  { issues, accounts }: ListedIssues,
  { urls, now }: Pick<WebContext, 'urls' | 'now'>,
): Html {
  return html`<ul class="rows">
    ${issues.map(({ issue, repository }) => {
      const name = fullName(repository);
      const href = issue.pull
        ? urls.pullHtml(name, issue.number)
        : urls.issueHtml(name, issue.number);
      return html`<li>
        <span class="mark">${issue.pull ? 'pull' : 'issue'}, ${issue.state}</span>
        <a class="grow" href="${href}">${issue.title}</a>
        <span class="soft">${name}#${issue.number} by ${loginOf(accounts, issue.authorId)}</span>
        <span class="soft">${counted(issue.comments, 'comment')}</span>
        ${timeElement(issue.createdAt, now)}
      </li>`;
    })}
  </ul>`;
}
