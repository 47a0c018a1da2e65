import { findAccount, memberRole } from '../../accounts/account-store.ts';
import { accountPage } from '../../accounts/account-list-store.ts';
import { membershipViewerId } from '../../accounts/organization-access.ts';
import { organizationsOf } from '../../accounts/membership-store.ts';
import { notFound } from '../../errors/api-error.ts';
import {
  countFollows,
  followedBy,
  followersOf,
  follows as isFollowing,
} from '../../follows/follow-store.ts';
import { readPage } from '../../http/pagination.ts';
import type { Account } from '../../model/account.ts';
import { callerAccountId } from '../../model/caller.ts';
import { viewerOf } from '../../repositories/repository-filter.ts';
import { listRepositories } from '../../repositories/repository-list-store.ts';
import { html, type Html, pageLinks } from '#web/html.ts';
import { page, seeOther, type WebResponse } from '#web/web-response.ts';
import type { Sql } from '#platform/database/database.ts';
import type { Page } from '../../http/pagination.ts';
import type { Perform } from '../kit/perform.ts';
import { profilePath } from '../kit/page-paths.ts';
import type { FormContext, WebContext } from '../kit/web-context.ts';
import type { SignedIn } from '../kit/with-session.ts';
import {
  accountHead,
  accountList,
  followForm,
  organizationTabs,
  tabsView,
} from '../parts/account-views.ts';
import { repositoryList } from '../parts/repository-views.ts';

/** Organizations on the page of a user. */
const organizationsMax = 100;

const tabs = ['repositories', 'stars', 'followers', 'following'] as const;
type Tab = (typeof tabs)[number];

/** A user or organization with those of its repositories that the caller may read. */
export async function showAccount(context: WebContext): Promise<WebResponse> {
  const { ports, path } = context;
  const account = await ports.database.read((sql) => findAccount(sql, path['owner'] ?? ''));
  if (!account) return notFound();
  return account.kind === 'organization'
    ? showOrganization(context, account)
    : showUser(context, account);
}

async function showOrganization(context: WebContext, organization: Account): Promise<WebResponse> {
  const { ports, caller, urls } = context;
  const bounds = readPage(context.query);
  const { role, list } = await ports.database.read(async (sql) => {
    const viewerId = membershipViewerId(caller);
    return {
      role: viewerId > 0 ? await memberRole(sql, organization.id, viewerId) : undefined,
      list: await repositoriesOf(sql, context, organization, bounds),
    };
  });
  return page(
    organization.login,
    html`${accountHead(organization, context)} ${organizationTabs(organization, role, context)}
      <h2>Repositories</h2>
      ${list.view} ${pageLinks(urls.userHtml(organization.login), bounds, list.hasNext)}`,
  );
}

async function showUser(context: WebContext, user: Account): Promise<WebResponse> {
  const { ports, caller, urls, session, query } = context;
  const bounds = readPage(query);
  const tab = tabs.find((each) => each === query.get('tab')) ?? 'repositories';
  const viewerId = callerAccountId(caller);
  const own = viewerId === user.id;
  const found = await ports.database.read(async (sql) => ({
    counts: await countFollows(sql, user.id),
    follows: own || !session ? false : await isFollowing(sql, viewerId, user.id),
    organizations: (
      await organizationsOf(sql, user.id, membershipViewerId(caller), {
        offset: 0,
        size: organizationsMax,
      })
    ).organizations,
    list: await listOf[tab](sql, context, user, bounds),
  }));
  const { counts, organizations, list } = found;
  const home = new URL(urls.userHtml(user.login)).pathname;
  const links = tabs.map((each) => ({
    href: each === 'repositories' ? home : `${home}?tab=${each}`,
    label: labelOf(each, counts),
  }));
  const present = links[tabs.indexOf(tab)]?.href ?? home;
  return page(
    user.login,
    html`${accountHead(user, context)}
      <div class="actions">
        ${own ? html`<a class="button" href="${profilePath}">Edit profile</a>` : ''}
        ${session && !own ? followForm(user, session, found.follows) : ''}
        ${
          organizations.length === 0
            ? ''
            : html`<span
                >Organizations:
                ${organizations.map(({ login }) => html`<a class="crumb" href="${urls.userHtml(login)}">${login}</a> `)}</span
              >`
        }
      </div>
      ${tabsView('Profile', links, present)}
      <h2>${headings[tab]}</h2>
      ${list.view} ${pageLinks(present, bounds, list.hasNext)}`,
  );
}

const headings: Readonly<Record<Tab, string>> = {
  repositories: 'Repositories',
  stars: 'Stars',
  followers: 'Followers',
  following: 'Following',
};

function labelOf(tab: Tab, counts: { readonly followers: number; readonly following: number }) {
  const count = tab === 'followers' || tab === 'following' ? ` (${counts[tab]})` : '';
  return headings[tab] + count;
}

interface TabList {
  readonly view: Html;
  readonly hasNext: boolean;
}

type ReadList = (sql: Sql, context: WebContext, user: Account, bounds: Page) => Promise<TabList>;

const listOf: Readonly<Record<Tab, ReadList>> = {
  repositories: repositoriesOf,
  async stars(sql, context, user, bounds) {
    const filter = {
      viewer: viewerOf(context.caller),
      starredBy: user.id,
      sort: 'starred',
      direction: 'desc',
    } as const;
    const { repositories, total } = await listRepositories(sql, filter, bounds);
    const empty = html`<p class="empty">${user.login} has starred no repository.</p>`;
    return {
      view: repositories.length === 0 ? empty : repositoryList(repositories, context),
      hasNext: hasNext(bounds, total),
    };
  },
  followers: accountsIn(followersOf, (login) => `No user follows ${login}.`),
  following: accountsIn(followedBy, (login) => `${login} follows no user.`),
};

async function repositoriesOf(
  sql: Sql,
  context: WebContext,
  owner: Account,
  bounds: Page,
): Promise<TabList> {
  const { caller } = context;
  const filter = {
    viewer: viewerOf(caller),
    ownerId: owner.id,
    sort: 'updated',
    direction: 'desc',
  } as const;
  const { repositories, total } = await listRepositories(sql, filter, bounds);
  return {
    view:
      repositories.length === 0 && callerAccountId(caller) !== owner.id
        ? html`<p class="empty">${owner.login} has no repository that you may read.</p>`
        : repositoryList(repositories, context),
    hasNext: hasNext(bounds, total),
  };
}

function accountsIn(list: typeof followersOf, empty: (login: string) => string): ReadList {
  return async (sql, { urls }, user, bounds) => {
    const { entries, total } = await accountPage(sql, list(user.id), bounds);
    const accounts = entries.map(({ account }) => account);
    return {
      view: accountList(accounts, urls, empty(user.login)),
      hasNext: hasNext(bounds, total),
    };
  };
}

function hasNext({ offset, size }: Page, total: number): boolean {
  return offset + size < total;
}

/** Follows a user or stops following, and leads back to the user. */
export function submitFollow(
  perform: Perform,
): (context: FormContext & SignedIn) => Promise<WebResponse> {
  return async (context) => {
    const { path, form, urls } = context;
    const operations: Readonly<Record<string, string>> = {
      add: 'users/follow',
      remove: 'users/unfollow',
    };
    const act = path['act'] ?? '';
    const operation = Object.hasOwn(operations, act) ? operations[act] : undefined;
    const username = form.get('login') ?? '';
    await perform(context, operation ?? notFound(), { username });
    return seeOther(urls.userHtml(encodeURIComponent(username)));
  };
}
