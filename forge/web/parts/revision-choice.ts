import { fullName } from '../../model/repository.ts';
import { html, type Html } from '#web/html.ts';
import type { RepositoryContext } from '../kit/web-context.ts';

/** Branches, and tags, that a page of code offers; others are on the pages of branches and tags. */
const refsMax = 50;

/** The same path on another branch or tag. A path that is not there leads to the page that says so. */
export async function revisionChoice(
  { git, repository, urls }: RepositoryContext,
  { revision, path }: { readonly revision: string; readonly path: string },
): Promise<Html> {
  const name = fullName(repository);
  const list = async (prefix: string, label: string): Promise<Html> => {
    const refs = await git.listRefs(prefix);
    if (refs.length === 0) return html``;
    const all = `${urls.repositoryHtml(name)}/${label.toLowerCase()}`;
    return html`<h3>${label}</h3>
      <ul class="plain">
        ${refs.slice(0, refsMax).map((ref) => {
          const short = ref.name.slice(prefix.length);
          return html`<li><a href="${urls.treeHtml(name, short, path)}">${short}</a></li> `;
        })}
        ${refs.length > refsMax ? html`<li><a href="${all}">All ${refs.length}</a></li>` : ''}
      </ul>`;
  };
  return html`<details class="choice">
    <summary>${revision}</summary>
    ${await list('refs/heads/', 'Branches')} ${await list('refs/tags/', 'Tags')}
  </details>`;
}
