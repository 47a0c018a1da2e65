import { fullName } from '../../model/repository.ts';
import { html } from '#web/html.ts';
import { repositoryHead } from '../parts/repository-views.ts';
import { page, type WebResponse } from '#web/web-response.ts';
import type { RepositoryContext } from '../kit/web-context.ts';

export async function showBranches(context: RepositoryContext): Promise<WebResponse> {
  const { repository, git, urls } = context;
  const name = fullName(repository);
  const refs = await git.listRefs('refs/heads/');
  return page(
    `${name}: branches`,
    html`${repositoryHead(context)}
      <ul class="rows">
        ${refs.map((ref) => {
          const branch = ref.name.slice('refs/heads/'.length);
          return html`<li>
            <a class="grow" href="${urls.treeHtml(name, branch, '')}">${branch}</a>
            ${branch === repository.defaultBranch ? html`<span class="mark">default</span>` : ''}
            <a href="${urls.commitHtml(name, ref.id)}"><code>${ref.id.slice(0, 7)}</code></a>
          </li>`;
        })}
      </ul>`,
  );
}
