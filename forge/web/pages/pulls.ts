import { textField } from '#web/fields.ts';
import { problemView } from '#web/form.ts';
import { counted, html, type Html, pageLinks, timeElement } from '#web/html.ts';
import { page, type WebResponse } from '#web/web-response.ts';

import { accountsById } from '../../accounts/account-store.ts';
import { combinedCheckStates } from '../../checks/check-state.ts';
import type { ObjectId } from '../../git/names.ts';
import { readPage } from '../../http/pagination.ts';
import type { IssueFilter } from '../../issues/issue-filter.ts';
import { listIssues } from '../../issues/issue-store.ts';
import { labelsOfIssues } from '../../labels/label-store.ts';
import type { Account } from '../../model/account.ts';
import type { CombinedState } from '../../model/commit-status.ts';
import type { Label } from '../../model/label.ts';
import { headLabel, type Pull } from '../../model/pull.ts';
import { fullName } from '../../model/repository.ts';
import { pullsById } from '../../pulls/pull-store.ts';
import type { RepositoryContext } from '../kit/web-context.ts';
import { loginOf } from '../parts/conversation.ts';
import { readIssueQuery } from '../parts/issue-query.ts';
import { stateView } from '../parts/pull-views.ts';
import { combinedStateView, repositoryHead } from '../parts/repository-views.ts';
import { labelMark } from '../parts/label-mark.ts';

const states = ['open', 'closed', 'all'] as const;

/** The pulls that a query selects, `is:open author:ada`, newest first. */
export async function showPulls(context: RepositoryContext): Promise<WebResponse> {
  const { repository, urls, query } = context;
  const name = fullName(repository);
  const pageUrl = `${urls.repositoryHtml(name)}/pulls`;
  // `state` is what `pulls_url` of the API takes.
  const state = states.find((each) => each === query.get('state')) ?? 'open';
  const text = query.get('q') ?? `is:${state}`;
  const { filter, problem } = readIssueQuery(text, 'pr');
  const bounds = readPage(query);
  const found = await findPulls(context, filter, bounds);
  return page(
    `Pull requests · ${name}`,
    html`${repositoryHead(context)}
      <form class="line" method="get" action="${pageUrl}" role="search">
        ${textField({ label: 'Filter', name: 'q', value: text })}
        <button type="submit">Show</button>
        <a class="button" href="${urls.repositoryHtml(name)}/compare">New pull request</a>
        <a href="${urls.repositoryHtml(name)}/labels">Labels</a>
        <a href="${urls.repositoryHtml(name)}/milestones">Milestones</a>
      </form>
      ${problemView(problem)}
      <p class="soft">
        ${states.map((each) => stateLink(`${pageUrl}?q=is%3A${each}`, each, text === `is:${each}`))}
        ${counted(found.total, 'pull request')}. The filter takes <code>is:open</code>,
        <code>is:closed</code>, <code>label:bug</code>, <code>author:LOGIN</code>,
        <code>assignee:LOGIN</code> and <code>milestone:NUMBER</code>.
      </p>
      ${
        found.pulls.length === 0
          ? html`<p class="empty">
              No pull request matches. Push a branch, and
              <a href="${urls.repositoryHtml(name)}/compare">compare</a> it to open one, or
              <a href="${pageUrl}?q=is%3Aall">show all</a>.
            </p>`
          : html`<ul class="rows">
              ${found.pulls.map((pull) => pullRow(pull, found, context))}
            </ul>`
      }
      ${pageLinks(`${pageUrl}?q=${encodeURIComponent(text)}`, bounds, bounds.offset + bounds.size < found.total)}`,
  );
}

const stateNames = { open: 'Open', closed: 'Closed', all: 'All' } as const;

function stateLink(href: string, state: (typeof states)[number], present: boolean): Html {
  return html`<a href="${href}" ${present ? html`aria-current="true"` : ''}>${stateNames[state]}</a>
    · `;
}

interface FoundPulls {
  readonly pulls: readonly Pull[];
  readonly total: number;
  readonly accounts: ReadonlyMap<number, Account>;
  readonly labels: ReadonlyMap<number, readonly Label[]>;
  readonly checks: ReadonlyMap<ObjectId, CombinedState>;
}

/** In a number of statements that does not depend on how many pulls there are. */
function findPulls(
  { ports, repository }: RepositoryContext,
  filter: IssueFilter,
  bounds: ReturnType<typeof readPage>,
): Promise<FoundPulls> {
  return ports.database.read(async (sql) => {
    const only = { ...filter, only: 'pulls' } as const;
    const { issues, total } = await listIssues(sql, repository.id, only, bounds);
    const ids = issues.map(({ id }) => id);
    const byId = new Map((await pullsById(sql, ids)).map((pull) => [pull.id, pull]));
    const pulls = ids.flatMap((id) => byId.get(id) ?? []);
    const authors = pulls.map(({ authorId }) => authorId);
    const heads = pulls.map(({ head }) => head.sha);
    return {
      pulls,
      total,
      accounts: await accountsById(sql, authors),
      labels: await labelsOfIssues(sql, ids),
      checks: await combinedCheckStates(sql, repository.id, heads),
    };
  });
}

function pullRow(
  pull: Pull,
  { accounts, labels, checks }: FoundPulls,
  { repository, urls, now }: RepositoryContext,
): Html {
  return html`<li>
    ${stateView(pull)}
    <span class="grow"
      ><a href="${urls.pullHtml(fullName(repository), pull.number)}">${pull.title}</a>
      ${(labels.get(pull.id) ?? []).map(labelMark)}</span
    >
    ${combinedStateView(checks.get(pull.head.sha) ?? 'none')}
    <span class="soft">#${pull.number} by ${loginOf(accounts, pull.authorId)}</span>
    <code>${headLabel(pull)}</code>
    ${timeElement(pull.createdAt, now)}
  </li>`;
}
