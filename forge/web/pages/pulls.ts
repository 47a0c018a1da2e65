import { readPage } from '../../http/pagination.ts';
import { everyPull } from '../../pulls/pull-filter.ts';
import { listPulls } from '../../pulls/pull-store.ts';
import { headLabel } from '../../model/pull.ts';
import { fullName } from '../../model/repository.ts';
import { html, timeElement, pageLinks } from '#web/html.ts';
import { stateView } from '../parts/pull-views.ts';
import { repositoryHead } from '../parts/repository-views.ts';
import { page, type WebResponse } from '#web/web-response.ts';
import type { RepositoryContext } from '../kit/web-context.ts';

/** The pulls of a repository in a state, newest first. */
export async function showPulls(context: RepositoryContext): Promise<WebResponse> {
  const { ports, repository, urls, query, now } = context;
  const name = fullName(repository);
  const address = `${urls.repositoryHtml(name)}/pulls`;
  const bounds = readPage(query);
  const state = states.find((each) => each === query.get('state')) ?? 'open';
  const filter = { ...everyPull, state };
  const { pulls, total } = await ports.database.read((sql) =>
    listPulls(sql, repository.id, filter, bounds),
  );
  return page(
    `Pull requests · ${name}`,
    html`${repositoryHead(context)}
      <p><a class="button" href="${address.replace(/pulls$/, 'compare')}">New pull request</a></p>
      <nav class="actions" aria-label="State">
        ${states.map(
          (each) =>
            html`<a
              href="${address}?state=${each}"
              ${each === state ? html`aria-current="true"` : ''}
              >${words[each]}</a
            > `,
        )}
      </nav>
      ${
        total === 0
          ? html`<p class="empty">
              No pull request is ${state === 'all' ? 'here yet' : state}. Push a branch, and
              <a href="${urls.repositoryHtml(name)}/compare">compare</a> it to open one.
            </p>`
          : html`<ul class="rows">
              ${pulls.map(
                (pull) =>
                  html`<li>
                    ${stateView(pull)}
                    <a class="grow" href="${urls.pullHtml(name, pull.number)}">${pull.title}</a>
                    <span class="soft">#${pull.number}</span> <code>${headLabel(pull)}</code>
                    ${timeElement(pull.createdAt, now)}
                  </li>`,
              )}
            </ul>`
      }
      ${pageLinks(`${address}?state=${state}`, bounds, bounds.offset + bounds.size < total)}`,
  );
}

const states = ['open', 'closed', 'all'] as const;
const words = { open: 'Open', closed: 'Closed', all: 'All' } as const;
