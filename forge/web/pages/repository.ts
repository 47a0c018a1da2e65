import { findContent } from '../../contents/find-content.ts';
import { branchRef, parseBranchName } from '../../git/names.ts';
import { fullName } from '../../model/repository.ts';
import { atLeast } from '../../model/permission.ts';
import { html, type Html, timeElement } from '#web/html.ts';
import { aboutRepository } from '../parts/repository-about.ts';
import { fileActs, fileUrl, mayChangeFiles } from '../parts/file-forms.ts';
import { revisionChoice } from '../parts/revision-choice.ts';
import { entryList, repositoryHead, titleOf } from '../parts/repository-views.ts';
import { readmeView } from '../parts/markdown-view.ts';
import { page, type WebResponse } from '#web/web-response.ts';
import type { RepositoryContext } from '../kit/web-context.ts';
import { popularityForms } from './stargazers.ts';

/** A repository: the files of its default branch, and what it is. */
export async function showRepository(context: RepositoryContext): Promise<WebResponse> {
  return page(
    fullName(context.repository),
    html`${repositoryHead(context)} ${await popularityForms(context)}
      <div class="columns about">
        <div>${await codeView(context)}</div>
        ${await aboutRepository(context)}
      </div>`,
  );
}

/** The commands that bring a repository to a machine. */
function cloneView({ repository, urls, ports }: RepositoryContext): Html {
  const name = fullName(repository);
  const overSsh = ports.settings.sshPort !== undefined;
  return html`<details class="choice">
    <summary>Clone</summary>
    <p><code>git clone ${urls.clone(name)}</code></p>
    ${overSsh ? html`<p><code>git clone ${urls.ssh(name)}</code></p>` : ''}
  </details>`;
}

async function codeView(context: RepositoryContext): Promise<Html> {
  const { repository, git, urls, now } = context;
  const name = fullName(repository);
  const revision = repository.defaultBranch;
  const branch = parseBranchName(revision);
  const id = branch && (await git.readRef(branchRef(branch)));
  const commit = id && (await git.readCommit(id));
  if (!commit) return emptyView(context);
  const root = await findContent(git, commit.id, '', urls.clone(name));
  const entries = root?.kind === 'directory' ? root.entries : [];
  const lastCommits = await git.lastCommits(commit.id, undefined);
  return html`<div class="actions">
      ${await revisionChoice(context, { revision, path: '' })} ${cloneView(context)}
      <span>
        <a href="${urls.commitsHtml(name, revision, '')}">History</a>
        ${await fileActs(context, { revision, path: '' }, 'folder')}
      </span>
    </div>
    <section class="card" aria-label="Files">
      <header>
        <strong>${commit.author.name}</strong>
        <a class="grow cut" title="${titleOf(commit)}" href="${urls.commitHtml(name, commit.id)}"
          >${titleOf(commit)}</a
        >
        <a href="${urls.commitHtml(name, commit.id)}"><code>${commit.id.slice(0, 7)}</code></a>
        ${timeElement(commit.author.seconds * 1000, now)}
      </header>
      ${entryList(entries, { fullName: name, revision, urls, now, lastCommits })}
    </section>
    ${await readmeView(context, { commit: commit.id, revision })}`;
}

/** What to do with a repository without code. */
function emptyView(context: RepositoryContext): Html {
  const { repository, urls, permission } = context;
  const name = fullName(repository);
  const revision = repository.defaultBranch;
  if (!atLeast(permission, 'write')) {
    return html`<p class="empty">Nothing has been pushed to <code>${revision}</code> yet.</p>`;
  }
  const link = (form: 'new' | 'upload', label: string): Html =>
    html`<a class="button" href="${fileUrl(context, form, { revision, path: '' })}">${label}</a>`;
  return html`<section class="empty" aria-labelledby="start">
    <h2 id="start">Nothing has been pushed to <code>${revision}</code> yet</h2>
    ${mayChangeFiles(context) ? html`<p>${link('new', 'Create a file')} ${link('upload', 'Upload files')}</p>` : ''}
    <p>Or clone it, commit, and push:</p>
    <pre tabindex="0">git clone ${urls.clone(name)}</pre>
    <p>Or push a repository that you have:</p>
    <pre tabindex="0">
git remote add origin ${urls.clone(name)}
git branch -M ${revision}
git push -u origin ${revision}</pre>
  </section>`;
}
