import { findAccount } from '../../accounts/account-store.ts';
import { notFound } from '../../errors/api-error.ts';
import { readPage } from '../../http/pagination.ts';
import { viewerOf } from '../../repositories/repository-filter.ts';
import { listRepositories } from '../../repositories/repository-list-store.ts';
import { html, pageLinks } from '#web/html.ts';
import { repositoryList } from '../parts/repository-views.ts';
import { page, type WebResponse } from '#web/web-response.ts';
import type { WebContext } from '../kit/web-context.ts';

/** A user or organization with those of its repositories that the caller may read. */
export async function showAccount(context: WebContext): Promise<WebResponse> {
  const { ports, urls, caller, path } = context;
  const bounds = readPage(context.query);
  const found = await ports.database.read(async (sql) => {
    const account = await findAccount(sql, path['owner'] ?? '');
    if (!account) return notFound();
    const filter = {
      viewer: viewerOf(caller),
      ownerId: account.id,
      sort: 'updated' as const,
      direction: 'desc' as const,
    };
    return { account, ...(await listRepositories(sql, filter, bounds)) };
  });
  const { account, repositories, total } = found;
  return page(
    account.login,
    html`<h1>
        <img class="avatar" src="${urls.avatar(account.id)}" alt="" width="48" height="48" />
        ${account.login}
      </h1>
      ${account.name === null ? '' : html`<p>${account.name}</p>`}
      ${account.bio === null ? '' : html`<p>${account.bio}</p>`}
      <h2>Repositories</h2>
      ${repositoryList(repositories, context)}
      ${pageLinks(urls.userHtml(account.login), bounds, bounds.offset + bounds.size < total)}`,
  );
}
