import { fullName, type Repository } from '../../model/repository.ts';
import type { Urls } from '../../json/urls.ts';
import { html, type Html } from '../kit/html.ts';
import { timeElement } from './time-element.ts';

export function repositoryList(repositories: readonly Repository[], urls: Urls): Html {
  if (repositories.length === 0) return html`<p>No repositories.</p>`;
  return html`<ul class="rows">
    ${repositories.map(
      (repository) =>
        html`<li>
          <a href="${urls.repositoryHtml(fullName(repository))}">${fullName(repository)}</a>
          ${repository.private ? html`<span class="mark">private</span>` : ''}
          <span class="grow">${repository.description ?? ''}</span>
          ${timeElement(repository.updatedAt)}
        </li>`,
    )}
  </ul>`;
}
