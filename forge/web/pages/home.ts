import { findIssues, parseIssueSearch } from '../../search/find-issues.ts';
import { searcherOf } from '../../search/searcher.ts';
import { foundIssueList, loadFound } from '../parts/found-issues.ts';
import { tabsView } from '../parts/account-views.ts';
import { readPage } from '../../http/pagination.ts';
import { affiliations, viewerOf } from '../../repositories/repository-filter.ts';
import { listRepositories } from '../../repositories/repository-list-store.ts';
import { html, type Html, pageLinks } from '#web/html.ts';
import { repositoryList } from '../parts/repository-views.ts';
import { formPage, type WebResponse } from '#web/web-response.ts';
import { newRepositoryPath } from '../kit/page-paths.ts';
import type { WebContext } from '../kit/web-context.ts';

/** What a browser sees at the root, where clients get the map of the interface. */
export async function showHome(context: WebContext): Promise<WebResponse> {
  const { ports, urls, caller, query, session } = context;
  const bounds = readPage(query);
  const mine = query.get('of') === 'mine' ? session : undefined;
  const all = urls.web('/');
  const ofMine = `${all}?of=mine`;
  const { repositories, total } = await ports.database.read((sql) =>
    listRepositories(
      sql,
      {
        viewer: viewerOf(caller),
        ...(mine && { affiliatedWith: { accountId: mine.account.id, by: new Set(affiliations) } }),
        sort: 'updated',
        direction: 'desc',
      },
      bounds,
    ),
  );
  // These are searches of the whole site.
  const waiting = session && (await context.inSlot(() => waitingView(context)));
  return formPage(
    'Repositories',
    html`${
        session
          ? html`<h1>Home</h1>
              ${waiting}
              <h2>Repositories</h2>`
          : html`<h1>Repositories</h1>`
      }
      <p>
        Clone one with <code>git clone ${urls.clone('OWNER/NAME')}</code>. The base URL of API
        clients is <code>${urls.api('')}</code>; see the <a href="${urls.docs('')}">reference</a>.
      </p>
      ${session ? html`<p><a class="button" href="${newRepositoryPath}">New repository</a></p>` : ''}
      ${
        session
          ? tabsView(
              'Which repositories',
              [
                { href: all, label: 'All' },
                { href: ofMine, label: 'Yours' },
              ],
              mine ? ofMine : all,
            )
          : ''
      }
      ${repositoryList(repositories, context)}
      ${pageLinks(mine ? ofMine : all, bounds, bounds.offset + bounds.size < total)}`,
  );
}

/** Issues and pulls in each list of what waits, on the home page; the search shows the rest. */
const waitingMax = 5;

const waitingQueries: readonly (readonly [title: string, query: string])[] = [
  ['Waiting for your review', 'is:open is:pr review-requested:@me'],
  ['Assigned to you', 'is:open assignee:@me'],
];

/** What others expect of the viewer; nothing where there is nothing. */
async function waitingView(context: WebContext): Promise<Html> {
  const { ports, caller } = context;
  const lists: Html[] = [];
  for (const [title, query] of waitingQueries) {
    const search = parseIssueSearch(query, { sort: null, order: null });
    const { issues } = await findIssues(ports.database, search, searcherOf(caller));
    if (issues.length === 0) continue;
    const found = await ports.database.read((sql) =>
      loadFound(sql, issues.slice(0, waitingMax), caller),
    );
    const href = `/search?${new URLSearchParams({ type: 'issues', q: query }).toString()}`;
    lists.push(
      html`<h2><a href="${href}">${title}</a> <span class="soft">${issues.length}</span></h2>
        ${foundIssueList(found, context)}`,
    );
  }
  return html`${lists}`;
}
