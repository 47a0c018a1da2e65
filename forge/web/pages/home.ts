import { readPage } from '../../http/pagination.ts';
import { viewerOf } from '../../repositories/repository-filter.ts';
import { listRepositories } from '../../repositories/repository-list-store.ts';
import { html, pageLinks } from '#web/html.ts';
import { repositoryList } from '../parts/repository-views.ts';
import { page, type WebResponse } from '#web/web-response.ts';
import { newRepositoryAddress } from '../kit/page-paths.ts';
import type { WebContext } from '../kit/web-context.ts';

/** What a browser sees at the root, where clients get the map of the interface. */
export async function showHome(context: WebContext): Promise<WebResponse> {
  const { ports, urls, caller, query, session } = context;
  const bounds = readPage(query);
  const { repositories, total } = await ports.database.read((sql) =>
    listRepositories(sql, { viewer: viewerOf(caller), sort: 'updated', direction: 'desc' }, bounds),
  );
  return page(
    'Repositories',
    html`<h1>Repositories</h1>
      <p>
        Clone one with <code>git clone ${urls.clone('OWNER/NAME')}</code>. The base URL of API
        clients is <code>${urls.api('')}</code>; see the <a href="${urls.docs('')}">reference</a>.
      </p>
      ${session ? html`<p><a class="button" href="${newRepositoryAddress}">New repository</a></p>` : ''}
      ${repositoryList(repositories, context)}
      ${pageLinks(urls.web('/'), bounds, bounds.offset + bounds.size < total)}`,
  );
}
