import { protectedBranches } from '../../branches/protection-store.ts';
import { branchRef, parseBranchName } from '../../git/names.ts';
import { atLeast } from '../../model/permission.ts';
import { fullName } from '../../model/repository.ts';
import { textArea, textField } from '#web/fields.ts';
import { checkbox, hidden } from '#web/form.ts';
import { html, type Html } from '#web/html.ts';
import type { PageForm } from '#web/page-form.ts';
import type { TreeLocation } from '../kit/revision.ts';
import type { RepositoryContext } from '../kit/web-context.ts';
import { pathIn } from './settings-nav.ts';

/** The pages that change files, by the first part of their path. */
type FilePage = 'new' | 'upload' | 'edit' | 'delete';

/** The URL of a page that changes a file, or what is in a folder. */
export function fileUrl(
  context: RepositoryContext,
  page: FilePage,
  { revision, path }: Pick<TreeLocation, 'revision' | 'path'>,
): string {
  const { urls, repository } = context;
  const blob = new URL(urls.blobHtml(fullName(repository), revision, path)).pathname;
  return pathIn(context, `${page}/${blob.slice(pathIn(context, 'blob/').length)}`).replace(
    /\/$/,
    '',
  );
}

/** Links to pages that change files, on a branch, for those who may push to the repository. */
export async function fileActs(
  context: RepositoryContext,
  location: Pick<TreeLocation, 'revision' | 'path'>,
  kind: 'file' | 'folder',
): Promise<Html> {
  if (!mayChangeFiles(context) || !(await isBranch(context, location.revision))) return html``;
  const link = (page: FilePage, label: string): Html =>
    html`<a href="${fileUrl(context, page, location)}">${label}</a>`;
  return kind === 'file'
    ? html`· ${link('edit', 'Edit')} · ${link('delete', 'Delete')}`
    : html`· ${link('new', 'New file')} · ${link('upload', 'Upload files')}`;
}

export function mayChangeFiles({ session, permission, repository }: RepositoryContext): boolean {
  return session !== undefined && atLeast(permission, 'write') && !repository.archived;
}

export async function isBranch({ git }: RepositoryContext, revision: string): Promise<boolean> {
  const branch = parseBranchName(revision);
  return branch !== undefined && (await git.readRef(branchRef(branch))) !== undefined;
}

/** The message of a commit, and the branch that gets it: the present one, or a new one with a pull. */
export async function commitFields(
  { ports, repository }: RepositoryContext,
  form: PageForm,
  {
    branch,
    title,
    isNew,
  }: { readonly branch: string; readonly title: string; readonly isNew: boolean },
): Promise<Html> {
  const guarded = await ports.database.read((sql) => protectedBranches(sql, repository.id));
  const target = form.value('target', guarded.has(branch) ? 'new' : 'present');
  const choice = (value: string, label: Html): Html =>
    html`<label
      ><input
        type="radio"
        name="target"
        value="${value}"
        ${target === value ? html`checked` : ''}
      />
      ${label}</label
    >`;
  return html`${hidden('branch', branch)}
    <fieldset>
      <legend>Commit</legend>
      ${textField({
        label: 'Message',
        name: 'title',
        value: form.value('title'),
        hint: `Empty: ${title}`,
        maxLength: 256,
        prose: true,
      })}
      ${textArea({
        label: 'Description',
        name: 'description',
        value: form.value('description'),
        rows: 2,
        prose: true,
      })}
      ${choice('present', html`To the branch <code>${branch}</code>${guarded.has(branch) ? ', which is protected' : ''}`)}
      ${
        isNew
          ? ''
          : html`${choice('new', html`To a new branch`)}
            ${textField({ label: 'Name of the new branch', name: 'new_branch', value: form.value('new_branch') })}
            ${checkbox('open_pull', '1', form.checked('open_pull', '1', true), 'Open a pull request for the new branch')}`
      }
    </fieldset>`;
}
