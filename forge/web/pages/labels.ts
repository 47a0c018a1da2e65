import { listLabels } from '../../labels/label-store.ts';
import { readPage } from '../../http/pagination.ts';
import { type Label, labelNameCharactersMax } from '../../model/label.ts';
import { atLeast } from '../../model/permission.ts';
import { fullName } from '../../model/repository.ts';
import { textField } from '#web/fields.ts';
import { asking, hidden, problemView } from '#web/form.ts';
import { html, type Html, pageLinks } from '#web/html.ts';
import { createPageForm, type PageForm, type RefusedForm } from '#web/page-form.ts';
import { formPage, type WebResponse } from '#web/web-response.ts';
import type { Perform } from '../kit/perform.ts';
import type { RepositoryContext } from '../kit/web-context.ts';
import { repositoryHead } from '../parts/repository-views.ts';
import { pathIn } from '../parts/settings-nav.ts';
import { type ActContext, answerAct, unknownAct } from './discussion-acts.ts';
import { labelMark } from '../parts/label-mark.ts';

/** Labels on a page of theirs. */
const labelsMax = 100;

/** The labels of a repository, each with the forms that change it. */
export async function showLabels(
  context: RepositoryContext,
  refused?: RefusedForm,
): Promise<WebResponse> {
  const { ports, repository, session, permission, query } = context;
  const bounds = readPage(query, labelsMax, true);
  const { labels, total } = await ports.database.read((sql) =>
    listLabels(sql, repository.id, bounds),
  );
  const pageUrl = pathIn(context, 'labels');
  const writes = session && atLeast(permission, 'write') && !repository.archived;
  const form = writes ? createPageForm(pageUrl, session.secret, refused) : undefined;
  return formPage(
    `Labels · ${fullName(repository)}`,
    html`${repositoryHead(context)}
      <h2>Labels</h2>
      ${problemView(refused?.act === 'create' ? undefined : refused?.problem)}
      ${
        labels.length === 0
          ? html`<p class="empty">There is no label yet.</p>`
          : html`<ul class="rows">
              ${labels.map((label) => labelRow(label, pathIn(context, 'issues'), form))}
            </ul>`
      }
      ${pageLinks(pageUrl, bounds, bounds.offset + bounds.size < total)}
      ${
        form
          ? html`<h2>New label</h2>
              ${form.view(
                'create',
                html`${labelFields({
                    name: form.value('name'),
                    color: form.value('color', '#ededed'),
                    description: form.value('description'),
                  })} <button class="primary" type="submit">Create label</button>`,
              )}`
          : ''
      }`,
    refused?.status,
  );
}

function labelRow(label: Label, issues: string, form: PageForm | undefined): Html {
  const { name, color, description } = label;
  const query = encodeURIComponent(`is:open label:"${name}"`);
  return html`<li>
    <a class="grow" href="${issues}?q=${query}">${labelMark(label)}</a>
    <span class="soft">${description ?? ''}</span> <code>#${color}</code>
    ${
      form
        ? html`${asking(
            'Change',
            form.row(
              'update',
              html`${hidden('label', name)}
                ${labelFields({ name, color: `#${color}`, description: description ?? '' })}
                <button type="submit" aria-label="Save the label ${name}">Save</button>`,
              'fields',
            ),
          )}
          ${asking(
            'Delete',
            form.row(
              'delete',
              html`${hidden('label', name)}
                <button class="danger" type="submit" aria-label="Delete the label ${name}">
                  Delete it for good
                </button>`,
            ),
          )}`
        : ''
    }
  </li>`;
}

function labelFields(value: {
  readonly name: string;
  readonly color: string;
  readonly description: string;
}): Html {
  return html`${textField({
    label: 'Name',
    name: 'name',
    value: value.name,
    maxLength: labelNameCharactersMax,
    required: true,
    prose: true,
  })}
  ${textField({ label: 'Colour', name: 'color', value: value.color, type: 'color' })}
  ${textField({
    label: 'Description',
    name: 'description',
    value: value.description,
    maxLength: 100,
    prose: true,
  })}`;
}

/** Creates, changes and deletes labels. */
export function submitLabelAct(perform: Perform): (context: ActContext) => Promise<WebResponse> {
  return async (context) => {
    const { form, repository } = context;
    const at = { owner: repository.owner.login, repo: repository.name };
    const label = { ...at, name: form.get('label') ?? '' };
    const description = (form.get('description') ?? '').trim();
    const body = {
      name: (form.get('name') ?? '').trim(),
      color: (form.get('color') ?? '').replace(/^#/, '').toLowerCase(),
      description: description === '' ? null : description,
    };
    return answerAct(context, showLabels, async (name) => {
      if (name === 'create') await perform(context, 'issues/create-label', at, body);
      else if (name === 'update') await perform(context, 'issues/update-label', label, body);
      else if (name === 'delete') await perform(context, 'issues/delete-label', label);
      else unknownAct();
      return pathIn(context, 'labels');
    });
  };
}
