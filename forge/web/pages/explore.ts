import { html, type Html, counted, pageLinks, timeElement } from '#web/html.ts';
import { page, type WebResponse } from '#web/web-response.ts';

import { readPage } from '../../http/pagination.ts';
import { fullName, type Repository } from '../../model/repository.ts';
import { type RepositoryOrder, viewerOf } from '../../repositories/repository-filter.ts';
import { listRepositories } from '../../repositories/repository-list-store.ts';
import { explorePath, newRepositoryPath } from '../kit/page-paths.ts';
import type { WebContext } from '../kit/web-context.ts';
import { tabsView } from '../parts/account-views.ts';
import { topicLinks } from '../parts/repository-views.ts';

const orders: readonly {
  readonly name: string;
  readonly label: string;
  readonly sort: RepositoryOrder;
}[] = [
  { name: 'stars', label: 'Most stars', sort: 'stargazers' },
  { name: 'updated', label: 'Recently updated', sort: 'updated' },
  { name: 'created', label: 'Newest', sort: 'created' },
];

/** The public repositories of the server, for users and visitors alike. */
export async function showExplore(context: WebContext): Promise<WebResponse> {
  const { ports, caller, query, session } = context;
  const bounds = readPage(query);
  const order = orders.find(({ name }) => name === query.get('sort')) ?? orders[0];
  const { sort = 'stargazers', name = 'stars' } = order ?? {};
  const filter = {
    viewer: viewerOf(caller),
    visibility: 'public',
    sort,
    direction: 'desc',
  } as const;
  const { repositories, total } = await ports.database.read((sql) =>
    listRepositories(sql, filter, bounds),
  );
  return page(
    'Explore',
    html`<h1>Explore</h1>
      <p class="soft">${counted(total, 'public repository', 'public repositories')}</p>
      ${tabsView(
        'Order',
        orders.map((each) => ({ href: pathOf(each.name), label: each.label })),
        pathOf(name),
      )}
      ${
        repositories.length === 0
          ? emptyView(total > 0, session !== undefined)
          : html`<ul class="rows">
              ${repositories.map((repository) => rowView(repository, context))}
            </ul>`
      }
      ${pageLinks(pathOf(name), bounds, bounds.offset + bounds.size < total)}`,
  );
}

function pathOf(order: string): string {
  return order === 'stars' ? explorePath : `${explorePath}?sort=${order}`;
}

function emptyView(pastTheEnd: boolean, signedIn: boolean): Html {
  if (pastTheEnd) {
    return html`<p class="empty">
      No repository is on this page. Go to the <a href="${explorePath}">first one</a>.
    </p>`;
  }
  return html`<p class="empty">
    No repository is public yet.
    ${
      signedIn
        ? html`<a href="${newRepositoryPath}">Create one</a>, or change the visibility in the
            settings of one of yours.`
        : html`Public repositories are listed here for everybody.`
    }
  </p>`;
}

function rowView(repository: Repository, { urls, now }: WebContext): Html {
  const { description, language, stargazers, forks, topics, archived, parentId } = repository;
  const home = urls.repositoryHtml(fullName(repository));
  return html`<li>
    <span class="grow"
      ><a href="${home}"><strong>${fullName(repository)}</strong></a>
      ${parentId === null ? '' : html`<span class="mark">fork</span>`}
      ${archived ? html`<span class="mark">archived</span>` : ''}
      ${description === null || description === '' ? '' : html`<br />${description}`}
      ${topics.length === 0 ? '' : html`<br />${topicLinks(topics)}`}</span
    >
    ${language === null ? '' : html`<span>${language}</span>`}
    <span>${counted(stargazers, 'star')}</span>
    <span>${counted(forks, 'fork')}</span>
    ${timeElement(repository.pushedAt ?? repository.createdAt, now)}
  </li>`;
}
