import { listMilestones } from '../../milestones/milestone-store.ts';
import { readPage } from '../../http/pagination.ts';
import { milestoneTitleCharactersMax } from '../../milestones/milestone-input.ts';
import type { Milestone } from '../../model/milestone.ts';
import { atLeast } from '../../model/permission.ts';
import { fullName } from '../../model/repository.ts';
import { inTurns } from '#platform/in-turns.ts';
import { textArea, textField } from '#web/fields.ts';
import { asking, hidden, problemView } from '#web/form.ts';
import { counted, html, type Html, pageLinks } from '#web/html.ts';
import { createPageForm, type PageForm, type RefusedForm } from '#web/page-form.ts';
import { formPage, type WebResponse } from '#web/web-response.ts';
import type { Perform } from '../kit/perform.ts';
import type { RepositoryContext } from '../kit/web-context.ts';
import { markdownView } from '../parts/markdown-view.ts';
import { repositoryHead } from '../parts/repository-views.ts';
import { pathIn } from '../parts/settings-nav.ts';
import { type ActContext, answerAct, textOf, unknownAct } from './discussion-acts.ts';

/** Milestones on a page of theirs. */
const milestonesMax = 100;

/** The milestones of a repository with their progress, each with the forms that change it. */
export async function showMilestones(
  context: RepositoryContext,
  refused?: RefusedForm,
): Promise<WebResponse> {
  const { ports, repository, session, permission, query } = context;
  const bounds = readPage(query, milestonesMax, true);
  const filter = { state: 'all', sort: 'due_on', direction: 'asc' } as const;
  const { milestones, total } = await ports.database.read((sql) =>
    listMilestones(sql, repository.id, filter, bounds),
  );
  const pageUrl = pathIn(context, 'milestones');
  const writes = session && atLeast(permission, 'write') && !repository.archived;
  const form = writes ? createPageForm(pageUrl, session.secret, refused) : undefined;
  return formPage(
    `Milestones · ${fullName(repository)}`,
    html`${repositoryHead(context)}
      <h2>Milestones</h2>
      ${problemView(refused?.act === 'create' ? undefined : refused?.problem)}
      ${
        milestones.length === 0
          ? html`<p class="empty">There is no milestone yet.</p>`
          : await inTurns(milestones, (milestone) => milestoneCard(milestone, context, form))
      }
      ${pageLinks(pageUrl, bounds, bounds.offset + bounds.size < total)}
      ${
        form
          ? html`<h2>New milestone</h2>
              ${form.view(
                'create',
                html`${milestoneFields({
                    title: form.value('title'),
                    description: form.value('description'),
                    due: form.value('due'),
                  })} <button class="primary" type="submit">Create milestone</button>`,
              )}`
          : ''
      }`,
    refused?.status,
  );
}

function milestoneCard(
  milestone: Milestone,
  context: RepositoryContext,
  form: PageForm | undefined,
): Html {
  const issues = pathIn(context, 'issues');
  const { number, title, state, description, dueAt, openIssues, closedIssues } = milestone;
  const query = encodeURIComponent(`is:all milestone:${number}`);
  const due = dueAt === null ? '' : new Date(dueAt).toISOString().slice(0, 10);
  const all = openIssues + closedIssues;
  return html`<article class="card">
    <header>
      <h3><a href="${issues}?q=${query}">${title}</a></h3>
      <span class="mark">${state}</span>
      ${due === '' ? '' : html`<span>due ${due}</span>`}
      <span>${closedIssues} of ${counted(all, 'issue')} closed</span>
    </header>
    <div class="body">
      ${description === null || description === '' ? '' : markdownView(description, context)}
      ${form ? forms(form) : ''}
    </div>
  </article>`;

  function forms(own: PageForm): Html {
    const field = hidden('milestone', String(number));
    const act = state === 'open' ? 'close' : 'reopen';
    const label = state === 'open' ? 'Close' : 'Reopen';
    return html`${own.row(act, html`${field}<button type="submit" aria-label="${label} the milestone ${title}">${label}</button>`)}
    ${asking(
      'Change',
      own.row(
        'update',
        html`${field}${milestoneFields({ title, description: description ?? '', due })}
          <button type="submit" aria-label="Save the milestone ${title}">Save</button>`,
        'fields',
      ),
    )}
    ${asking(
      'Delete',
      own.row(
        'delete',
        html`${field}<button
            class="danger"
            type="submit"
            aria-label="Delete the milestone ${title}"
          >
            Delete it for good
          </button>`,
      ),
    )}`;
  }
}

function milestoneFields(value: {
  readonly title: string;
  readonly description: string;
  readonly due: string;
}): Html {
  return html`${textField({
    label: 'Title',
    name: 'title',
    value: value.title,
    maxLength: milestoneTitleCharactersMax,
    required: true,
    prose: true,
  })}
  ${textArea({
    label: 'Description, in Markdown',
    name: 'description',
    value: value.description,
    prose: true,
  })}
  ${textField({ label: 'Due on', name: 'due', value: value.due, type: 'date' })}`;
}

/** Creates, changes, closes, reopens and deletes milestones. */
export function submitMilestoneAct(
  perform: Perform,
): (context: ActContext) => Promise<WebResponse> {
  return async (context) => {
    const { form, repository } = context;
    const at = { owner: repository.owner.login, repo: repository.name };
    const milestone = { ...at, milestone_number: form.get('milestone') ?? '' };
    const description = textOf(form, 'description');
    const due = (form.get('due') ?? '').trim();
    const body = {
      title: (form.get('title') ?? '').trim(),
      description: description === '' ? null : description,
      due_on: due === '' ? null : `${due}T00:00:00Z`,
    };
    const update = async (values: Readonly<Record<string, unknown>>): Promise<void> => {
      await perform(context, 'issues/update-milestone', milestone, values);
    };
    return answerAct(context, showMilestones, async (name) => {
      if (name === 'create') await perform(context, 'issues/create-milestone', at, body);
      else if (name === 'update') await update(body);
      else if (name === 'close') await update({ state: 'closed' });
      else if (name === 'reopen') await update({ state: 'open' });
      else if (name === 'delete') await perform(context, 'issues/delete-milestone', milestone);
      else unknownAct();
      return pathIn(context, 'milestones');
    });
  };
}

/** `html_url` of a milestone: its issues. */
export async function leadToMilestone({
  urls,
  repository,
  path,
}: RepositoryContext): Promise<WebResponse> {
  const query = encodeURIComponent(`is:all milestone:${path['number'] ?? ''}`);
  return {
    kind: 'redirect',
    location: `${urls.repositoryHtml(fullName(repository))}/issues?q=${query}`,
  };
}
