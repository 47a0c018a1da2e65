import { fullName } from '../../model/repository.ts';
import { html, type Html } from '../kit/html.ts';
import type { RepositoryContext } from '../kit/web-context.ts';

/** The top of every page about a repository. */
export function repositoryHead({ repository, urls }: RepositoryContext): Html {
  const home = urls.repositoryHtml(fullName(repository));
  const marks = [
    repository.private ? 'private' : 'public',
    ...(repository.archived ? ['archived'] : []),
    ...(repository.parentId === null ? [] : ['fork']),
  ];
  return html`<h1>
      <a href="${urls.userHtml(repository.owner.login)}">${repository.owner.login}</a> /
      <a href="${home}">${repository.name}</a>
      ${marks.map((mark) => html`<span class="mark">${mark}</span> `)}
    </h1>
    <nav class="tabs">
      <a href="${home}">Code</a>
      <a href="${urls.commitsHtml(fullName(repository), repository.defaultBranch, '')}">Commits</a>
      <a href="${home}/branches">Branches</a>
      <a href="${home}/pulls">Pull requests</a>
    </nav>`;
}
