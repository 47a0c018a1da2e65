import { accountsById } from '../../accounts/account-store.ts';
import { RefusalError } from '../../errors/api-error.ts';
import { renderRefusal } from '../../errors/error-responses.ts';
import { refusalSentence } from '../../errors/error-message.ts';
import { readPage } from '../../http/pagination.ts';
import { listIssues } from '../../issues/issue-store.ts';
import { labelsOfIssues } from '../../labels/label-store.ts';
import type { Issue } from '../../model/issue.ts';
import type { Label } from '../../model/label.ts';
import { atLeast } from '../../model/permission.ts';
import { fullName } from '../../model/repository.ts';
import { permissionIn } from '../../repositories/repository-access.ts';
import { selectField, textArea, textField } from '#web/fields.ts';
import { checkbox, problemView, tokenFor } from '#web/form.ts';
import { counted, html, type Html, pageLinks, timeElement } from '#web/html.ts';
import { formPage, seeOther, type WebResponse } from '#web/web-response.ts';
import type { Perform } from '../kit/perform.ts';
import type { RepositoryContext } from '../kit/web-context.ts';
import type { SignedIn } from '../kit/with-session.ts';
import { loginOf } from '../parts/conversation.ts';
import { type Discussed, issueChoices } from '../parts/load-pull.ts';
import { readIssueQuery } from '../parts/issue-query.ts';
import { labelMark } from '../parts/label-mark.ts';
import { repositoryHead } from '../parts/repository-views.ts';
import { namesOfField, numberIn, textOf, type ActContext } from './discussion-acts.ts';

/** The issues that a query selects, `is:open label:bug`. */
export async function showIssues(context: RepositoryContext): Promise<WebResponse> {
  const { ports, repository, urls, query, now } = context;
  const name = fullName(repository);
  const pageUrl = `${urls.repositoryHtml(name)}/issues`;
  const text = query.get('q') ?? 'is:open';
  const { filter, problem } = readIssueQuery(text, 'issue');
  const bounds = readPage(query);
  const found = await ports.database.read(async (sql) => {
    const only = { ...filter, only: 'issues' } as const;
    const { issues, total } = await listIssues(sql, repository.id, only, bounds);
    const authors = issues.map(({ authorId }) => authorId);
    return {
      issues,
      total,
      accounts: await accountsById(sql, authors),
      labels: await labelsOfIssues(
        sql,
        issues.map(({ id }) => id),
      ),
    };
  });
  const rows = found.issues.map((issue) =>
    issueRow(issue, {
      href: urls.issueHtml(name, issue.number),
      author: loginOf(found.accounts, issue.authorId),
      labels: found.labels.get(issue.id) ?? [],
      now,
    }),
  );
  const list = `${pageUrl}?q=${encodeURIComponent(text)}`;
  return formPage(
    `Issues · ${name}`,
    html`${repositoryHead(context)}
      <form class="line" method="get" action="${pageUrl}" role="search">
        ${textField({ label: 'Filter', name: 'q', value: text })}
        <button type="submit">Show</button>
        <a class="button" href="${pageUrl}/new">New issue</a>
        <a href="${urls.repositoryHtml(name)}/labels">Labels</a>
        <a href="${urls.repositoryHtml(name)}/milestones">Milestones</a>
      </form>
      ${problemView(problem)}
      <p class="soft">
        <a href="${pageUrl}?q=is%3Aopen">Open</a> · <a href="${pageUrl}?q=is%3Aclosed">Closed</a> ·
        ${counted(found.total, 'issue')}. The filter takes <code>is:open</code>,
        <code>is:closed</code>, <code>label:bug</code>, <code>author:LOGIN</code>,
        <code>assignee:LOGIN</code> and <code>milestone:NUMBER</code>.
      </p>
      ${
        rows.length === 0
          ? html`<p class="empty">
              No issue matches. <a href="${pageUrl}/new">Open one</a>, or
              <a href="${pageUrl}?q=is%3Aall">show all</a>.
            </p>`
          : html`<ul class="rows">
              ${rows}
            </ul>`
      }
      ${pageLinks(list, bounds, bounds.offset + bounds.size < found.total)}`,
  );
}

function issueRow(
  issue: Issue,
  row: {
    readonly href: string;
    readonly author: string;
    readonly labels: readonly Label[];
    readonly now: number;
  },
): Html {
  return html`<li>
    ${issueState(issue)}
    <span class="grow"><a href="${row.href}">${issue.title}</a> ${row.labels.map(labelMark)}</span>
    <span class="soft">#${issue.number} by ${row.author}</span>
    <span class="soft">${counted(issue.comments, 'comment')}</span>
    ${timeElement(issue.createdAt, row.now)}
  </li>`;
}

/** The state of an issue in a word and a colour. */
export function issueState({ state, stateReason }: Issue): Html {
  if (state === 'open') return html`<span class="state good">● Open</span>`;
  if (stateReason === null || stateReason === 'completed') {
    return html`<span class="state done">✓ Closed</span>`;
  }
  return html`<span class="state soft">⊘ Closed as ${stateReason.replace('_', ' ')}</span>`;
}

/** The form for a new issue. */
export async function showNewIssue(
  context: RepositoryContext & SignedIn,
  refused?: { readonly problem: string; readonly status: number; readonly fields: URLSearchParams },
): Promise<WebResponse> {
  const { ports, repository, urls, session, caller, query } = context;
  const name = fullName(repository);
  // Links fill in the form, as those of gh and of bug reports in programs do.
  const filledIn = refused?.fields ?? filledInBy(query);
  const choices = await ports.database.read(async (sql) => {
    const permission = await permissionIn(sql, caller, repository.id, true);
    return atLeast(permission, 'triage') ? issueChoices(sql, repository.id) : undefined;
  });
  return formPage(
    `New issue · ${name}`,
    html`${repositoryHead(context)}
      <h2>New issue</h2>
      <form
        class="fields"
        method="post"
        action="${new URL(urls.repositoryHtml(name)).pathname}/issues"
      >
        ${tokenFor(session.secret)} ${problemView(refused?.problem)}
        ${textField({
          label: 'Title',
          name: 'title',
          value: filledIn.get('title') ?? '',
          maxLength: 256,
          required: true,
          prose: true,
        })}
        ${textArea({
          label: 'Description, in Markdown',
          name: 'body',
          value: filledIn.get('body') ?? '',
          prose: true,
        })}
        ${choices ? attributeFields(choices, filledIn) : ''}
        <button class="primary" type="submit">Open issue</button>
      </form>`,
    refused?.status,
  );
}

/** In the query of a link, labels are separated by commas. */
function filledInBy(query: URLSearchParams): URLSearchParams {
  const fields = new URLSearchParams(query);
  const labels = query.getAll('labels').flatMap((names) => names.split(','));
  fields.delete('labels');
  for (const label of labels) fields.append('labels', label);
  return fields;
}

/** For those who may set them. */
function attributeFields(choices: Discussed['choices'], filledIn: URLSearchParams): Html {
  const chosen = new Set(filledIn.getAll('labels'));
  return html`${textField({
    label: 'Assignees: logins, separated by commas',
    name: 'assignees',
    value: filledIn.get('assignees') ?? '',
  })}
  ${
    choices.labels.length === 0
      ? ''
      : html`<fieldset>
          <legend>Labels</legend>
          ${choices.labels.map(({ name }) => checkbox('labels', name, chosen.has(name)))}
        </fieldset>`
  }
  ${selectField({
    label: 'Milestone',
    name: 'milestone',
    value: filledIn.get('milestone') ?? '',
    options: [
      { value: '', label: 'None' },
      ...choices.milestones.map(({ number, title }) => ({ value: String(number), label: title })),
    ],
  })}`;
}

/** Opens an issue, and leads to it. */
export function submitNewIssue(perform: Perform): (context: ActContext) => Promise<WebResponse> {
  return async (context) => {
    const { form, repository, urls } = context;
    const at = { owner: repository.owner.login, repo: repository.name };
    try {
      const milestone = Number(form.get('milestone') ?? '');
      const body = {
        title: form.get('title') ?? '',
        body: textOf(form, 'body'),
        labels: form.getAll('labels'),
        assignees: namesOfField(form, 'assignees'),
        ...(milestone === 0 ? {} : { milestone }),
      };
      const reply = await perform(context, 'issues/create', at, body);
      const number = reply.kind === 'json' ? numberIn(reply.body, 'number') : undefined;
      if (number === undefined) throw new Error('issues/create returned no number');
      return seeOther(urls.issueHtml(fullName(repository), number));
    } catch (error) {
      if (!(error instanceof RefusalError)) throw error;
      const { status } = renderRefusal(error.refusal);
      const problem = refusalSentence(error.refusal);
      return showNewIssue(context, { problem, status, fields: form });
    }
  };
}
