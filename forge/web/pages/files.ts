import { isEmpty } from '../../commits/resolve-revision.ts';
import { findContent } from '../../contents/find-content.ts';
import { notFound } from '../../errors/api-error.ts';
import type { ObjectId } from '../../git/names.ts';
import { fullName } from '../../model/repository.ts';
import { areaOf, button, textField } from '#web/fields.ts';
import { hidden, problemView } from '#web/form.ts';
import { html, type Html } from '#web/html.ts';
import { createPageForm, type RefusedForm } from '#web/page-form.ts';
import { formPage, looksLikeText, page, type WebResponse } from '#web/web-response.ts';
import { findTreeLocation, type TreeLocation } from '../kit/revision.ts';
import type { RepositoryContext } from '../kit/web-context.ts';
import type { SignedIn } from '../kit/with-session.ts';
import { commitFields, isBranch, mayChangeFiles } from '../parts/file-forms.ts';
import { pathTrail, repositoryHead } from '../parts/repository-views.ts';
import { pathIn } from '../parts/settings-nav.ts';

type FileContext = RepositoryContext & SignedIn;
/** Where a file is or is to be; without a commit in an empty repository. */
export type FileLocation = Pick<TreeLocation, 'revision' | 'path'> & {
  readonly commit: ObjectId | undefined;
};

/** Text that a page edits. Longer ones do not fit into a form (`formBytesMax`), in which a character can take three bytes. */
export const editedBytesMax: number = 256 * 1024;

/** The form for a new file in a folder. */
export async function showNewFile(
  context: FileContext,
  given?: FileLocation,
  refused?: RefusedForm,
): Promise<WebResponse> {
  const location = given ?? (await locationOf(context, 'or empty'));
  const { query } = context;
  const folder = location.path === '' ? '' : `${location.path}/`;
  const present = { path: folder + (query.get('filename') ?? ''), text: query.get('value') ?? '' };
  const form = createPageForm(pathIn(context, 'files'), context.session.secret, refused);
  return filePage(context, location, 'New file', refused, async () =>
    form.view(
      'create',
      html`${nameAndText(form.value('path', present.path), form.value('content', present.text))}
      ${await commitFields(context, form, {
        branch: location.revision,
        title: 'Create the file',
        isNew: location.commit === undefined,
      })}
      ${button('Create file', 'primary')}`,
    ),
  );
}

/** The form with the text of a file. */
export async function showEditor(
  context: FileContext,
  given?: FileLocation,
  refused?: RefusedForm,
): Promise<WebResponse> {
  const location = given ?? (await locationOf(context));
  const form = createPageForm(pathIn(context, 'files'), context.session.secret, refused);
  return filePage(context, location, `Edit ${location.path}`, refused, async () => {
    const file = await editableFile(context, location);
    if (typeof file === 'string') return html`<p class="empty">${file}</p>`;
    const sent = refused?.fields.get('sha');
    return html`${sent === undefined || sent === null || sent === file.id ? '' : changedSince(context, location)}
    ${form.view(
      'update',
      html`${hidden('from', location.path)} ${hidden('sha', file.id)}
      ${nameAndText(form.value('path', location.path), form.value('content', file.text))}
      ${await commitFields(context, form, {
        branch: location.revision,
        title: `Update ${location.path}`,
        isNew: false,
      })}
      ${button('Save', 'primary')}`,
    )}`;
  });
}

/** Asks before a file is deleted. */
export async function showDeletion(
  context: FileContext,
  given?: FileLocation,
  refused?: RefusedForm,
): Promise<WebResponse> {
  const location = given ?? (await locationOf(context));
  const form = createPageForm(pathIn(context, 'files'), context.session.secret, refused);
  return filePage(context, location, `Delete ${location.path}`, refused, async () => {
    const content = await contentAt(context, location);
    if (content.kind === 'directory' || content.kind === 'submodule') return notFound();
    return form.view(
      'delete',
      html`${hidden('path', location.path)} ${hidden('sha', content.id)}
      ${await commitFields(context, form, {
        branch: location.revision,
        title: `Delete ${location.path}`,
        isNew: false,
      })}
      ${button('Delete this file', 'danger')}`,
    );
  });
}

/** The form for files from the user's computer. */
export async function showUpload(
  context: FileContext,
  given?: FileLocation,
  refused?: RefusedForm,
): Promise<WebResponse> {
  const location = given ?? (await locationOf(context, 'or empty'));
  const form = createPageForm(pathIn(context, 'files'), context.session.secret, refused);
  return filePage(context, location, 'Upload files', refused, async () =>
    form.view(
      'upload',
      html`${hidden('folder', location.path)}
        <label class="field"
          ><span>Files, together up to 25 MiB</span>
          <input type="file" name="files" multiple required />
          <small class="soft">Files of the same names in this folder are replaced.</small></label
        >
        ${await commitFields(context, form, {
          branch: location.revision,
          title: 'Add files by upload',
          isNew: location.commit === undefined,
        })}
        ${button('Upload', 'primary')}`,
      'upload',
    ),
  );
}

async function filePage(
  context: FileContext,
  location: FileLocation,
  title: string,
  refused: RefusedForm | undefined,
  content: () => Promise<Html>,
): Promise<WebResponse> {
  const { repository, urls } = context;
  const name = fullName(repository);
  const head = html`${repositoryHead(context)} ${pathTrail(location, name, urls)}
    <h2>${title}</h2>`;
  const why = await whyNot(context, location);
  if (why) {
    const body = html`${head} ${problemView(refused?.problem)}
      <p class="empty">${why}</p>`;
    return { ...page(`${title} · ${name}`, body), status: refused?.status ?? 403 };
  }
  return formPage(`${title} · ${name}`, html`${head} ${await content()}`, refused?.status);
}

/** Why nothing can be changed here; undefined where it can. */
async function whyNot(
  context: FileContext,
  { revision, commit }: FileLocation,
): Promise<Html | undefined> {
  const { repository } = context;
  if (repository.archived) return html`The repository is archived: nothing in it can be changed.`;
  if (!mayChangeFiles(context)) {
    return html`You may not push to this repository.
      <a href="${pathIn(context, 'forks')}">Fork it</a>, change the fork, and open a pull request.`;
  }
  if (commit === undefined || (await isBranch(context, revision))) return undefined;
  return html`<code>${revision}</code> is no branch: choose one to change its files.`;
}

function nameAndText(path: string, text: string): Html {
  return html`${textField({ label: 'Path', name: 'path', value: path, required: true })}
    <label class="field"
      ><span>Text</span>
      ${areaOf(text, html`name="content" rows="24" class="code" autocapitalize="none" spellcheck="false"`)}</label
    >`;
}

function changedSince(context: RepositoryContext, { revision, path }: FileLocation): Html {
  const { urls, repository } = context;
  const name = fullName(repository);
  return html`<p class="problem" role="alert">
    The file was changed after you opened it. Your text is below. Look at
    <a href="${urls.blobHtml(name, revision, path)}">the present version</a> and
    <a href="${urls.commitsHtml(name, revision, path)}">its history</a> first: saving again replaces
    it by your text.
  </p>`;
}

/** The text of a file, or why a form cannot change it. */
async function editableFile(
  context: RepositoryContext,
  location: FileLocation,
): Promise<{ readonly id: ObjectId; readonly text: string } | string> {
  const content = await contentAt(context, location);
  switch (content.kind) {
    case 'directory':
    case 'submodule':
      return notFound();
    case 'symlink':
      return 'This is a link to another file: change it with git.';
    case 'file':
  }
  const tooLong = 'The file is too long for a form: upload it, or change it with git.';
  if (content.size > editedBytesMax) return tooLong;
  const blob = (await context.git.readBlob(content.id)) ?? notFound();
  const text = blob.toString();
  const isText = looksLikeText(blob) && !text.includes('\0') && Buffer.from(text).equals(blob);
  // A form would send them as line feeds.
  if (!isText || /\r(?!\n)/.test(text)) {
    return 'The file is no text in UTF-8: upload it, or change it with git.';
  }
  return { id: content.id, text };
}

async function contentAt(
  { git, urls, repository }: RepositoryContext,
  { commit, path }: FileLocation,
) {
  const clone = urls.clone(fullName(repository));
  return (commit && (await findContent(git, commit, path, clone))) ?? notFound();
}

/** What the URL names. In an empty repository, it may be the default branch. */
async function locationOf(context: FileContext, or?: 'or empty'): Promise<FileLocation> {
  const { git, repository, path } = context;
  const text = path['*'] ?? '';
  const { defaultBranch } = repository;
  if (or && (text === defaultBranch || text.startsWith(`${defaultBranch}/`))) {
    if (await isEmpty(git, repository)) {
      const folder = text.slice(defaultBranch.length + 1);
      return { revision: defaultBranch, commit: undefined, path: folder };
    }
  }
  return findTreeLocation(context);
}
