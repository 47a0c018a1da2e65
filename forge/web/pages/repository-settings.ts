import { refuse } from '../../errors/api-error.ts';
import { fullName } from '../../model/repository.ts';
import { textField } from '#web/fields.ts';
import { asking, checkbox } from '#web/form.ts';
import { html, type Html } from '#web/html.ts';
import { createPageForm, type PageForm, type RefusedForm } from '#web/page-form.ts';
import { formPage, type WebResponse } from '#web/web-response.ts';
import type { Perform } from '../kit/perform.ts';
import type { RepositoryContext } from '../kit/web-context.ts';
import type { SignedIn } from '../kit/with-session.ts';
import { repositoryHead } from '../parts/repository-views.ts';
import { pathIn, requireAdmin, settingsNav } from '../parts/settings-nav.ts';
import { type ActContext, answerAct, namesOfField, textIn, unknownAct } from './discussion-acts.ts';

/** What a repository is and allows, and what ends it. */
export async function showSettings(
  context: RepositoryContext & SignedIn,
  refused?: RefusedForm,
): Promise<WebResponse> {
  requireAdmin(context);
  const { repository, session } = context;
  const form = createPageForm(pathIn(context, 'settings'), session.secret, refused);
  const name = fullName(repository);
  return formPage(
    `Settings · ${name}`,
    html`${repositoryHead(context)} ${settingsNav(context)}
      <h2>General</h2>
      ${repository.archived ? html`<p class="empty">It is archived: unarchive it to change it.</p>` : generalForm(context, form)}
      <h2>Danger</h2>
      ${dangerForms(context, form)}`,
    refused?.status,
  );
}

function generalForm({ repository }: RepositoryContext, form: PageForm): Html {
  const flags = [
    ['has_issues', 'Issues', repository.hasIssues],
    ['allow_merge_commit', 'Merge with a merge commit', repository.allowMergeCommit],
    ['allow_squash_merge', 'Merge as one squashed commit', repository.allowSquashMerge],
    ['allow_rebase_merge', 'Merge by rebasing', repository.allowRebaseMerge],
    ['allow_auto_merge', 'Merge by itself when the rules allow it', repository.allowAutoMerge],
    ['delete_branch_on_merge', 'Delete the branch after the merge', repository.deleteBranchOnMerge],
  ] as const;
  return form.view(
    'general',
    html`${textField({
        label: 'Name',
        name: 'name',
        value: form.value('name', repository.name),
        maxLength: 100,
        required: true,
      })}
      ${textField({
        label: 'Description',
        name: 'description',
        value: form.value('description', repository.description ?? ''),
        prose: true,
      })}
      ${textField({
        label: 'Homepage',
        name: 'homepage',
        value: form.value('homepage', repository.homepage ?? ''),
      })}
      ${textField({
        label: 'Topics, separated by commas',
        name: 'topics',
        value: form.value('topics', repository.topics.join(', ')),
      })}
      ${textField({
        label: 'Default branch',
        name: 'default_branch',
        value: form.value('default_branch', repository.defaultBranch),
        required: true,
      })}
      <fieldset>
        <legend>What it allows</legend>
        ${flags.map(([field, label, present]) => checkbox(field, '1', form.checked(field, '1', present), label))}
      </fieldset>
      <button class="primary" type="submit">Save</button>`,
  );
}

function dangerForms({ repository }: RepositoryContext, form: PageForm): Html {
  const name = fullName(repository);
  const confirmation = textField({
    label: html`To confirm, type <code>${name}</code>`,
    name: 'confirm',
    required: true,
  });
  const visibility = repository.private ? 'public' : 'private';
  return html`${asking(
    `Make it ${visibility}`,
    form.view(
      'visibility',
      html`<p>
          ${
            repository.private
              ? 'Everybody who reaches this server can then read it and its history.'
              : 'Only people with access can then read it.'
          }
        </p>
        <input type="hidden" name="visibility" value="${visibility}" />
        <button class="danger" type="submit">Make it ${visibility}</button>`,
    ),
  )}
  ${asking(
    repository.archived ? 'Unarchive it' : 'Archive it',
    form.view(
      'archive',
      html`<p>An archived repository can be read, and nothing of it can be changed.</p>
        <input type="hidden" name="archived" value="${repository.archived ? 'no' : 'yes'}" />
        <button class="danger" type="submit">
          ${repository.archived ? 'Unarchive it' : 'Archive it'}
        </button>`,
    ),
  )}
  ${asking(
    'Transfer it',
    form.view(
      'transfer',
      html`${textField({
          label: 'Login of the new owner',
          name: 'new_owner',
          value: form.value('new_owner'),
          required: true,
        })}
        ${confirmation} <button class="danger" type="submit">Transfer it</button>`,
    ),
  )}
  ${asking(
    'Delete it',
    form.view(
      'delete',
      html`<p>Its code, issues, pull requests and webhooks are gone for good.</p>
        ${confirmation}
        <button class="danger" type="submit">Delete it for good</button>`,
    ),
  )}`;
}

/** Takes the forms of a repository's settings. */
export function submitSettings(perform: Perform): (context: ActContext) => Promise<WebResponse> {
  return async (context) => {
    const { form, urls, repository } = context;
    const at = { owner: repository.owner.login, repo: repository.name };
    return answerAct(context, showSettings, async (name) => {
      switch (name) {
        case 'general': {
          const renamed = await saveGeneral(perform, context);
          return `${urls.repositoryHtml(renamed)}/settings`;
        }
        case 'visibility': {
          const visibility = form.get('visibility');
          await perform(context, 'repos/update', at, { visibility });
          return pathIn(context, 'settings');
        }
        case 'archive': {
          await perform(context, 'repos/update', at, { archived: form.get('archived') === 'yes' });
          return pathIn(context, 'settings');
        }
        case 'transfer': {
          requireConfirmation(context);
          const newOwner = (form.get('new_owner') ?? '').trim();
          await perform(context, 'repos/transfer', at, { new_owner: newOwner });
          return urls.repositoryHtml(`${newOwner}/${repository.name}`);
        }
        case 'delete': {
          requireConfirmation(context);
          await perform(context, 'repos/delete', at);
          return urls.web('/');
        }
        default:
          return unknownAct();
      }
    });
  };
}

/** Returns the full name, which may be another. */
async function saveGeneral(perform: Perform, context: ActContext): Promise<string> {
  const { form, repository } = context;
  const at = { owner: repository.owner.login, repo: repository.name };
  const emptyAsNull = (field: string): string | null => {
    const text = (form.get(field) ?? '').trim();
    return text === '' ? null : text;
  };
  // First, because it knows the repository by its present name.
  const topics = namesOfField(form, 'topics');
  if (topics.join() !== repository.topics.join()) {
    await perform(context, 'repos/replace-all-topics', at, { names: topics });
  }
  const reply = await perform(context, 'repos/update', at, {
    name: (form.get('name') ?? '').trim(),
    description: emptyAsNull('description'),
    homepage: emptyAsNull('homepage'),
    default_branch: (form.get('default_branch') ?? '').trim(),
    has_issues: form.has('has_issues'),
    allow_merge_commit: form.has('allow_merge_commit'),
    allow_squash_merge: form.has('allow_squash_merge'),
    allow_rebase_merge: form.has('allow_rebase_merge'),
    allow_auto_merge: form.has('allow_auto_merge'),
    delete_branch_on_merge: form.has('delete_branch_on_merge'),
  });
  const name = reply.kind === 'json' ? textIn(reply.body, 'full_name') : undefined;
  if (name === undefined) throw new Error('repos/update returned no full_name');
  return name;
}

function requireConfirmation({ form, repository }: ActContext): void {
  const name = fullName(repository);
  if (form.get('confirm')?.trim() === name) return;
  refuse({ kind: 'unprocessable', message: `Type ${name} to confirm. Nothing was changed.` });
}
