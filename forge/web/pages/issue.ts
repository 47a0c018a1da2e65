import type { Sql } from '#platform/database/database.ts';

import { notFound } from '../../errors/api-error.ts';
import { readPage } from '../../http/pagination.ts';
import { findIssue } from '../../issues/issue-store.ts';
import { readableTransferred } from '../../issues/redirect-transferred.ts';
import type { Issue } from '../../model/issue.ts';
import { atLeast } from '../../model/permission.ts';
import { getRepository } from '../../repositories/get-repository.ts';
import { fullName } from '../../model/repository.ts';
import { textArea } from '#web/fields.ts';
import { problemView } from '#web/form.ts';
import { html, type Html, pageLinks, timeElement } from '#web/html.ts';
import { formPage, type WebResponse } from '#web/web-response.ts';
import type { Perform } from '../kit/perform.ts';
import type { RepositoryContext } from '../kit/web-context.ts';
import { conversationView, inSlotIfLong, loginOf, textCard } from '../parts/conversation.ts';
import { changing, discussionSide, titleFields } from '../parts/discussion-side.ts';
import { editedText, pageQuery } from '../parts/editable-text.ts';
import { type Discussed, loadDiscussed } from '../parts/load-pull.ts';
import { findReferences } from '../parts/references.ts';
import { markdownView } from '../parts/markdown-view.ts';
import { createPageForm, type PageForm, type RefusedForm } from '#web/page-form.ts';
import { repositoryHead } from '../parts/repository-views.ts';
import {
  type DiscussionAct,
  type ActContext,
  type Acts,
  discussionActs,
  submitAct,
  textOf,
} from './discussion-acts.ts';
import { requireVersion } from './changed-since.ts';
import { issueState } from './issues.ts';

/** An issue with its conversation. The number of a pull leads to the pull. */
export async function showIssue(
  context: RepositoryContext,
  refused?: RefusedForm,
): Promise<WebResponse> {
  const { ports, repository, urls, caller, now, path } = context;
  const text = path['number'] ?? '';
  if (!/^[1-9]\d{0,14}$/.test(text)) return notFound();
  const name = fullName(repository);
  const pageNumber = readPage(context.query).number;
  const loaded = await ports.database.read(async (sql) => {
    const issue = await findIssue(sql, repository.id, Number(text));
    // What a form was to do is not done there: a redirect would hide that.
    if (!issue) return refused ? notFound() : transferredIssueUrl(sql, context, Number(text));
    const nothing = { reviews: [], people: [], page: { number: pageNumber, hasOlder: false } };
    return { issue, discussed: await loadDiscussed(sql, repository, issue, caller, nothing) };
  });
  if (typeof loaded === 'string') return { kind: 'redirect', location: loaded };
  const { issue, discussed } = loaded;
  if (issue.pull) return { kind: 'redirect', location: urls.pullHtml(name, issue.number) };
  const pageUrl = new URL(urls.issueHtml(name, issue.number)).pathname;
  const form =
    context.session &&
    createPageForm(pageUrl, context.session.secret, refused, pageQuery(pageNumber));
  const { comments } = discussed.conversation;
  const texts = [issue.body, ...comments.map((comment) => comment.body)];
  const editing = {
    imageUrl: context.imageUrl,
    link: await findReferences(context, texts),
    form,
    pageUrl,
    pageNumber,
    target: editedText(context.query, refused),
    viewerId: context.session?.account.id,
    permission: discussed.permission,
  };
  const card = {
    id: `issue-${issue.number}`,
    author: loginOf(discussed.accounts, issue.authorId),
    said: 'opened this',
    at: issue.createdAt,
  };
  const body =
    issue.body === null || issue.body === ''
      ? html`<p class="soft">No description.</p>`
      : markdownView(issue.body, editing);
  const conversation = await inSlotIfLong(context, texts, () =>
    conversationView(discussed.conversation, editing, now),
  );
  const parts = html`<div class="columns">
    <div>
      ${textCard(card, body, now)} ${pageLinks(pageUrl, discussed.page, discussed.page.hasOlder)}
      ${conversation}
      ${form ? issueForms(issue, discussed, form, context) : html`<p class="empty">Sign in to comment.</p>`}
    </div>
    <aside aria-label="About this issue">${discussionSide(discussed, issue.locked, form)}</aside>
  </div>`;
  return formPage(
    `${issue.title} · ${name}#${issue.number}`,
    html`${repositoryHead(context)}
      <h2>${issue.title} <span class="soft">#${issue.number}</span></h2>
      <p>
        ${issueState(issue)} opened by <strong>${card.author}</strong>
        ${timeElement(issue.createdAt, now)}
      </p>
      ${problemView(form?.problemLeft())} ${parts}`,
    refused?.status,
  );
}

/** The page of the issue that was transferred and had this number. */
async function transferredIssueUrl(
  sql: Sql,
  { repository, caller, urls }: RepositoryContext,
  number: number,
): Promise<string> {
  const [moved] = await readableTransferred(sql, caller, repository.id, [number]);
  if (!moved) return notFound();
  const target = await getRepository(sql, moved.repositoryId);
  return urls.issueHtml(fullName(target), moved.number);
}

function issueForms(
  issue: Issue,
  { permission }: Discussed,
  form: PageForm,
  { session }: RepositoryContext,
): Html {
  const own = issue.authorId === session?.account.id;
  const writes = atLeast(permission, 'write');
  const comment =
    issue.locked && !writes
      ? html`<p class="empty">The conversation is locked.</p>`
      : form.view(
          'comment',
          html`${textArea({
              label: 'Comment, in Markdown',
              name: 'body',
              value: form.value('body'),
              required: true,
              prose: true,
            })} <button class="primary" type="submit">Comment</button>`,
        );
  const act = issue.state === 'open' ? 'close' : 'reopen';
  return html`${comment}
  ${
    own || atLeast(permission, 'triage')
      ? form.view(
          act,
          html`<button type="submit">${act === 'close' ? 'Close' : 'Reopen'}</button>`,
          'line',
        )
      : ''
  }
  ${own || writes ? changing('Edit title and description', editForm(issue, form)) : ''}`;
}

function editForm(issue: Issue, form: PageForm): Html {
  return form.view(
    'edit',
    html`${form.version('version', [issue.title, issue.body])} ${titleFields(form, issue)}
      <button type="submit">Save</button>`,
  );
}

/** What the forms of an issue's page do, by the last part of their URL. */
export function issueActs(perform: Perform): Acts {
  const setState = (state: 'open' | 'closed'): DiscussionAct => {
    return async (context, at) => {
      const parameters = { ...at, issue_number: at.number };
      await perform(context, 'issues/update', parameters, { state });
      return '';
    };
  };
  return {
    ...discussionActs(perform),
    close: setState('closed'),
    reopen: setState('open'),
    edit: async (context, at) => {
      const { ports, repository, form } = context;
      const issue = await ports.database.read((sql) =>
        findIssue(sql, repository.id, Number(at.number)),
      );
      if (issue) requireVersion(context, 'version', [issue.title, issue.body]);
      const body = { title: form.get('title') ?? '', body: textOf(form, 'description') };
      await perform(context, 'issues/update', { ...at, issue_number: at.number }, body);
      return '';
    },
  };
}

/** Takes the forms of an issue's page. */
export function submitIssueAct(acts: Acts): (context: ActContext) => Promise<WebResponse> {
  return async (context) => {
    const { urls, repository, path } = context;
    const pageUrl = urls.issueHtml(fullName(repository), Number(path['number']));
    return submitAct(context, acts, {
      pageUrl,
      show: (refused) => showIssue(context, refused),
    });
  };
}
