import { protectedBranches } from '../../branches/protection-store.ts';
import type { Divergence } from '../../git/history-summary.ts';
import { parseBranchName } from '../../git/names.ts';
import { atLeast } from '../../model/permission.ts';
import { fullName } from '../../model/repository.ts';
import { textField } from '#web/fields.ts';
import { asking, hidden, problemView } from '#web/form.ts';
import { html, type Html, pageLinks } from '#web/html.ts';
import { createPageForm, type PageForm, type RefusedForm } from '#web/page-form.ts';
import { formPage, type WebResponse } from '#web/web-response.ts';
import { readPage } from '../../http/pagination.ts';
import type { Perform } from '../kit/perform.ts';
import type { RepositoryContext } from '../kit/web-context.ts';
import { repositoryHead } from '../parts/repository-views.ts';
import { pathIn } from '../parts/settings-nav.ts';
import { type ActContext, answerAct, unknownAct } from './discussion-acts.ts';

/** The branches, with what compares, protects and deletes them. */
export async function showBranches(
  context: RepositoryContext,
  refused?: RefusedForm,
): Promise<WebResponse> {
  const { ports, repository, git, urls, session, permission, query } = context;
  const name = fullName(repository);
  const bounds = readPage(query);
  const refs = await git.listRefs('refs/heads/');
  const shown = refs.slice(bounds.offset, bounds.offset + bounds.size);
  const base = refs.find(({ name: ref }) => ref === `refs/heads/${repository.defaultBranch}`);
  const apart = base
    ? await context.inSlot(() =>
        git.divergences(
          base.id,
          shown.map(({ id }) => id),
        ),
      )
    : [];
  const guarded = await ports.database.read((sql) => protectedBranches(sql, repository.id));
  const pageUrl = pathIn(context, 'branches');
  const writes = session && atLeast(permission, 'write') && !repository.archived;
  const form = writes ? createPageForm(pageUrl, session.secret, refused) : undefined;
  return formPage(
    `Branches · ${name}`,
    html`${repositoryHead(context)}
    ${problemView(refused?.act === 'create' ? undefined : refused?.problem)}
    ${
      refs.length === 0
        ? html`<p class="empty">
            There is no branch yet. Push one:
            <code>git push ${urls.clone(name)} HEAD:${repository.defaultBranch}</code>
          </p>`
        : html`<ul class="rows">
            ${shown.map((ref, index) =>
              branchRow(ref.name.slice('refs/heads/'.length), ref.id, apart[index]),
            )}
          </ul>`
    }
    ${pageLinks(pageUrl, bounds, bounds.offset + bounds.size < refs.length)}
    ${form && refs.length > 0 ? createForm(form, repository.defaultBranch) : ''}`,
    refused?.status,
  );

  function branchRow(branch: string, id: string, from: Divergence | undefined): Html {
    const isDefault = branch === repository.defaultBranch;
    const range = `${repository.defaultBranch}...${branch}`;
    return html`<li>
      <a class="grow" href="${urls.treeHtml(name, branch, '')}">${branch}</a>
      ${isDefault ? html`<span class="mark">default</span>` : ''}
      ${
        isDefault || !from
          ? ''
          : html`<span class="soft">${from.ahead} ahead, ${from.behind} behind</span>`
      }
      ${guarded.has(branch) ? html`<span class="mark">protected</span>` : ''}
      <a href="${urls.commitHtml(name, id)}"><code>${id.slice(0, 7)}</code></a>
      ${
        isDefault
          ? ''
          : html`<a href="${urls.compareHtml(name, range)}" aria-label="Compare ${branch}"
              >Compare</a
            >`
      }
      ${form && !isDefault ? deleteForm(form, branch) : ''}
    </li>`;
  }
}

/** A form each: the list has many of one act. */
function deleteForm(form: PageForm, branch: string): Html {
  return asking(
    'Delete',
    form.row(
      'delete',
      html`${hidden('branch', branch)}
        <button class="danger" type="submit" aria-label="Delete the branch ${branch}">
          Delete the branch
        </button>`,
    ),
  );
}

function createForm(form: PageForm, defaultBranch: string): Html {
  return html`<h2>New branch</h2>
    ${form.view(
      'create',
      html`${textField({ label: 'Name', name: 'name', value: form.value('name'), required: true })}
        ${textField({
          label: 'From a branch, tag or commit',
          name: 'from',
          value: form.value('from', defaultBranch),
          required: true,
        })} <button type="submit">Create branch</button>`,
    )}`;
}

/** Creates and deletes branches. */
export function submitBranchAct(perform: Perform): (context: ActContext) => Promise<WebResponse> {
  return async (context) => {
    const { form, git, repository } = context;
    const at = { owner: repository.owner.login, repo: repository.name };
    return answerAct(context, showBranches, async (name) => {
      if (name === 'delete') {
        const branch = parseBranchName(form.get('branch') ?? '') ?? unknownAct();
        await perform(context, 'git/delete-ref', { ...at, '*': `heads/${branch}` });
      } else if (name === 'create') {
        const sha = await git.resolveCommit((form.get('from') ?? '').trim());
        const ref = `refs/heads/${(form.get('name') ?? '').trim()}`;
        await perform(context, 'git/create-ref', at, { ref, sha: sha ?? '' });
      } else {
        unknownAct();
      }
      return pathIn(context, 'branches');
    });
  };
}

/** The tags, those of the last names first. */
export async function showTags(
  context: RepositoryContext,
  refused?: RefusedForm,
): Promise<WebResponse> {
  const { repository, git, urls, query, session, permission } = context;
  const writes = session && atLeast(permission, 'write') && !repository.archived;
  const form = writes
    ? createPageForm(pathIn(context, 'tags'), session.secret, refused)
    : undefined;
  const name = fullName(repository);
  const bounds = readPage(query);
  const refs = (await git.listRefs('refs/tags/')).toReversed();
  const shown = refs.slice(bounds.offset, bounds.offset + bounds.size);
  return formPage(
    `Tags · ${name}`,
    html`${repositoryHead(context)} ${problemView(refused?.problem)}
    ${
      refs.length === 0
        ? html`<p class="empty">
            There is no tag yet. Push one:
            <code>git push ${urls.clone(name)} v1</code>
          </p>`
        : html`<ul class="rows">
            ${shown.map(({ name: ref }) => {
              const tag = ref.slice('refs/tags/'.length);
              return html`<li>
                <a class="grow" href="${urls.treeHtml(name, tag, '')}">${tag}</a>
                <a href="${urls.commitsHtml(name, tag, '')}" aria-label="Commits of ${tag}"
                  >Commits</a
                >
                ${archiveLinks(context, tag)} ${form ? tagForms(context, form, tag) : ''}
              </li>`;
            })}
          </ul>`
    }
    ${pageLinks(pathIn(context, 'tags'), bounds, bounds.offset + bounds.size < refs.length)}`,
    refused?.status,
  );
}

function archiveLinks(context: RepositoryContext, tag: string): Html {
  const path = tag.split('/').map(encodeURIComponent).join('/');
  return html`${['zip', 'tar.gz'].map(
    (format) =>
      html`<a
        href="${pathIn(context, `archive/refs/tags/${path}.${format}`)}"
        aria-label="${tag} as ${format}"
        >${format}</a
      > `,
  )}`;
}

function tagForms(context: RepositoryContext, form: PageForm, tag: string): Html {
  return html`<a
      href="${pathIn(context, 'releases/new')}?tag=${encodeURIComponent(tag)}"
      aria-label="New release of ${tag}"
      >New release</a
    >
    ${asking(
      'Delete',
      form.row(
        'delete',
        html`${hidden('tag', tag)}
          <button class="danger" type="submit" aria-label="Delete the tag ${tag}">
            Delete the tag
          </button>`,
      ),
    )}`;
}

/** Deletes tags. */
export function submitTagAct(perform: Perform): (context: ActContext) => Promise<WebResponse> {
  return async (context) => {
    const { form, repository } = context;
    const at = { owner: repository.owner.login, repo: repository.name };
    return answerAct(context, showTags, async () => {
      await perform(context, 'git/delete-ref', { ...at, '*': `tags/${form.get('tag') ?? ''}` });
      return pathIn(context, 'tags');
    });
  };
}
