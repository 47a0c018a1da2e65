import { readPage } from '../../http/pagination.ts';
import { everyPull } from '../../pulls/pull-filter.ts';
import { listPulls } from '../../pulls/pull-store.ts';
import { headLabel } from '../../model/pull.ts';
import { fullName } from '../../model/repository.ts';
import { html, timeElement, pageLinks } from '#web/html.ts';
import { repositoryHead } from '../parts/repository-views.ts';
import { page, type WebResponse } from '#web/web-response.ts';
import type { RepositoryContext } from '../kit/web-context.ts';

/** Every pull of a repository, newest first. */
export async function showPulls(context: RepositoryContext): Promise<WebResponse> {
  const { ports, repository, urls } = context;
  const name = fullName(repository);
  const bounds = readPage(context.query);
  const { pulls, total } = await ports.database.read((sql) =>
    listPulls(sql, repository.id, everyPull, bounds),
  );
  return page(
    `${name}: pull requests`,
    html`${repositoryHead(context)}
      <ul class="rows">
        ${pulls.map(
          (pull) =>
            html`<li>
              #${pull.number}
              <a class="grow" href="${urls.pullHtml(name, pull.number)}">${pull.title}</a>
              <span class="mark">${pull.merge ? 'merged' : pull.state}</span>
              <code>${headLabel(pull)}</code> ${timeElement(pull.createdAt, context.now)}
            </li>`,
        )}
      </ul>
      ${total === 0 ? html`<p>No pull requests.</p>` : ''}
      ${pageLinks(`${urls.repositoryHtml(name)}/pulls`, bounds, bounds.offset + bounds.size < total)}`,
  );
}
