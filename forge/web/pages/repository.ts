import { findContent } from '../../contents/find-content.ts';
import type { Ref } from '../../git/git.ts';
import { branchRef, parseBranchName } from '../../git/names.ts';
import { fullName } from '../../model/repository.ts';
import { repositoriesById } from '../../repositories/repository-store.ts';
import { permissionIn } from '../../repositories/repository-access.ts';
import { html, type Html } from '#web/html.ts';
import { fileActs, fileAddress, mayChangeFiles } from '../parts/file-forms.ts';
import { revisionChoice } from '../parts/revision-choice.ts';
import { entryList, repositoryHead, topicLinks } from '../parts/repository-views.ts';
import { readmeView } from '../parts/markdown-view.ts';
import { page, type WebResponse } from '#web/web-response.ts';
import type { RepositoryContext } from '../kit/web-context.ts';
import { popularityView } from './stargazers.ts';

const branchesShown = 20;

/** A repository: description, clone URL, and the files of its default branch. */
export async function showRepository(context: RepositoryContext): Promise<WebResponse> {
  const { repository, git, urls } = context;
  const name = fullName(repository);
  const branches = await git.listRefs('refs/heads/');
  return page(
    name,
    html`${repositoryHead(context)} ${await parentLine(context)}
      ${repository.description === null ? '' : html`<p>${repository.description}</p>`}
      ${homepageLine(repository.homepage)}
      <p><code>git clone ${urls.clone(name)}</code></p>
      ${context.ports.settings.sshPort === undefined ? '' : html`<p><code>git clone ${urls.ssh(name)}</code></p>`}
      ${await popularityView(context)} ${await codeView(context)} ${branchLine(branches, context)}
      ${topicLinks(repository.topics)}`,
  );
}

async function codeView(context: RepositoryContext): Promise<Html> {
  const { repository, git, urls } = context;
  const name = fullName(repository);
  const branch = parseBranchName(repository.defaultBranch);
  const commit = branch && (await git.readRef(branchRef(branch)));
  if (!commit) {
    const revision = repository.defaultBranch;
    const create = mayChangeFiles(context)
      ? html`<a href="${fileAddress(context, 'new', { revision, path: '' })}">Create a file</a>`
      : '';
    return html`<p>
      The branch <code>${revision}</code> does not exist yet: push to it. ${create}
    </p>`;
  }
  const root = await findContent(git, commit, '', urls.clone(name));
  const entries = root?.kind === 'directory' ? root.entries : [];
  const lastCommits = await git.lastCommits(commit, undefined);
  const { now } = context;
  const location = {
    fullName: name,
    revision: repository.defaultBranch,
    urls,
    now,
    lastCommits,
  };
  const { revision } = location;
  return html`<h2>${revision}</h2>
    ${await revisionChoice(context, { revision, path: '' })}
    <p>
      <a href="${urls.commitsHtml(name, revision, '')}">History</a>
      ${await fileActs(context, { revision, path: '' }, 'folder')}
    </p>
    ${entryList(entries, location)} ${await readmeView(context, { commit, revision })}`;
}

function branchLine(branches: readonly Ref[], { repository, urls }: RepositoryContext): Html {
  const name = fullName(repository);
  const shown = branches.slice(0, branchesShown).map((ref) => ref.name.slice('refs/heads/'.length));
  const more = branches.length - shown.length;
  return html`<h2>Branches</h2>
    <p>
      ${shown.map((branch) => html`<a href="${urls.treeHtml(name, branch, '')}">${branch}</a> `)}${
        more > 0 ? html`<a href="${urls.repositoryHtml(name)}/branches">and ${more} more</a>` : ''
      }
    </p>`;
}

/** Omits a parent that the caller may not read. */
async function parentLine(context: RepositoryContext): Promise<Html | undefined> {
  const { ports, caller, repository, urls } = context;
  const { parentId } = repository;
  if (parentId === null) return undefined;
  const parent = await ports.database.read(async (sql) => {
    const permission = await permissionIn(sql, caller, parentId);
    return permission === 'none'
      ? undefined
      : (await repositoriesById(sql, [parentId])).get(parentId);
  });
  if (!parent) return undefined;
  const name = fullName(parent);
  return html`<p>Forked from <a href="${urls.repositoryHtml(name)}">${name}</a></p>`;
}

/** The homepage is untrusted text: only an HTTP URL becomes a link. */
function homepageLine(homepage: string | null): Html | undefined {
  if (homepage === null || homepage === '') return undefined;
  return /^https?:\/\//i.test(homepage)
    ? html`<p><a href="${homepage}" rel="nofollow">${homepage}</a></p>`
    : html`<p>${homepage}</p>`;
}
