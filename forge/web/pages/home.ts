import { viewerOf } from '../../repositories/repository-filter.ts';
import { listRepositories } from '../../repositories/repository-list-store.ts';
import { html } from '#web/html.ts';
import { repositoryList } from '../parts/repository-views.ts';
import { page, type WebResponse } from '#web/web-response.ts';
import type { WebContext } from '../kit/web-context.ts';

const repositoriesMax = 30;

/** What a browser sees at the root, where clients get the map of the interface. */
export async function showHome({ ports, urls, caller }: WebContext): Promise<WebResponse> {
  const { repositories, total } = await ports.database.read((sql) =>
    listRepositories(
      sql,
      { viewer: viewerOf(caller), sort: 'updated', direction: 'desc' },
      { offset: 0, size: repositoriesMax },
    ),
  );
  return page(
    'Repositories',
    html`<h1>Repositories</h1>
      <p>
        Clone with <code>git clone ${urls.clone('OWNER/NAME')}</code>. Clients of the interface take
        <code>${urls.api('')}</code> as their base URL; what it offers is in the
        <a href="${urls.docs('')}">reference</a>.
      </p>
      ${repositoryList(repositories, urls)}
      ${
        total > repositories.length
          ? html`<p>These are the ${repositories.length} that changed last, of ${total}.</p>`
          : ''
      }`,
  );
}
