import { type AccountList, accountPage } from '../../accounts/account-list-store.ts';
import { notFound } from '../../errors/api-error.ts';
import { readPage } from '../../http/pagination.ts';
import { fullName } from '../../model/repository.ts';
import { stargazersOf, starsOf } from '../../stars/star-store.ts';
import { subscribersOf, subscriptionsOf } from '../../subscriptions/subscription-store.ts';
import { button } from '#web/fields.ts';
import { html, type Html, pageLinks } from '#web/html.ts';
import { createPageForm } from '#web/page-form.ts';
import { page, seeOther, type WebResponse } from '#web/web-response.ts';
import type { Perform } from '../kit/perform.ts';
import type { RepositoryContext } from '../kit/web-context.ts';
import { accountList } from '../parts/account-views.ts';
import { repositoryHead } from '../parts/repository-views.ts';
import { pathIn } from '../parts/settings-nav.ts';
import type { ActContext } from './discussion-acts.ts';

/** Who has starred a repository. */
export function showStargazers(context: RepositoryContext): Promise<WebResponse> {
  const { id } = context.repository;
  return showAccounts(context, 'stargazers', {
    title: 'Stargazers',
    list: stargazersOf(id),
    empty: 'No user has starred it yet.',
  });
}

/** Who watches a repository. */
export function showWatchers(context: RepositoryContext): Promise<WebResponse> {
  const { id } = context.repository;
  return showAccounts(context, 'watchers', {
    title: 'Watchers',
    list: subscribersOf(id),
    empty: 'No user watches it.',
  });
}

async function showAccounts(
  context: RepositoryContext,
  path: string,
  {
    title,
    list,
    empty,
  }: { readonly title: string; readonly list: AccountList; readonly empty: string },
): Promise<WebResponse> {
  const { ports, repository, urls, query } = context;
  const bounds = readPage(query);
  const { entries, total } = await ports.database.read((sql) => accountPage(sql, list, bounds));
  const accounts = entries.map(({ account }) => account);
  return page(
    `${title} · ${fullName(repository)}`,
    html`${repositoryHead(context)}
      <h2>${title}</h2>
      ${accountList(accounts, urls, empty)}
      ${pageLinks(pathIn(context, path), bounds, bounds.offset + bounds.size < total)}`,
  );
}

/** The viewer's star and subscription, with their buttons. */
export async function popularityForms(context: RepositoryContext): Promise<Html | string> {
  const { ports, repository, session } = context;
  if (!session) return '';
  const { starred, subscription } = await ports.database.read(async (sql) => {
    const ids = [repository.id];
    const accountId = session.account.id;
    return {
      starred: (await starsOf(sql, accountId, ids)).size > 0,
      subscription: (await subscriptionsOf(sql, accountId, ids)).get(repository.id),
    };
  });
  const stars = createPageForm(pathIn(context, 'stars'), session.secret, undefined);
  const watching = createPageForm(pathIn(context, 'subscription'), session.secret, undefined);
  return html`<div class="actions">
    ${stars.row(starred ? 'remove' : 'add', button(starred ? 'Unstar' : 'Star'))}
    ${
      subscription
        ? watching.row('remove', button(subscription.ignored ? 'Stop ignoring' : 'Unwatch'))
        : html`${watching.row('watch', button('Watch'))} ${watching.row('ignore', button('Ignore'))}`
    }
  </div>`;
}

const starOperations: Readonly<Record<string, string>> = {
  add: 'activity/star-repo-for-authenticated-user',
  remove: 'activity/unstar-repo-for-authenticated-user',
};

/** Stars a repository, or takes the star back. */
export function submitStar(perform: Perform): (context: ActContext) => Promise<WebResponse> {
  return async (context) => {
    const act = context.path['act'] ?? '';
    const operation = Object.hasOwn(starOperations, act) ? starOperations[act] : undefined;
    await perform(context, operation ?? notFound(), locationOf(context));
    return backToRepository(context);
  };
}

/** Watches a repository, ignores it, or neither. */
export function submitSubscription(
  perform: Perform,
): (context: ActContext) => Promise<WebResponse> {
  return async (context) => {
    const at = locationOf(context);
    switch (context.path['act']) {
      case 'watch':
      case 'ignore': {
        const ignored = context.path['act'] === 'ignore';
        const body = ignored ? { ignored } : { subscribed: true };
        await perform(context, 'activity/set-repo-subscription', at, body);
        break;
      }
      case 'remove':
        await perform(context, 'activity/delete-repo-subscription', at);
        break;
      case undefined:
      default:
        return notFound();
    }
    return backToRepository(context);
  };
}

function locationOf({ repository }: ActContext): { readonly owner: string; readonly repo: string } {
  return { owner: repository.owner.login, repo: repository.name };
}

function backToRepository({ urls, repository }: ActContext): WebResponse {
  return seeOther(urls.repositoryHtml(fullName(repository)));
}
