import { createPageForm } from '#web/page-form.ts';
import { html, type Html, timeElement } from '#web/html.ts';
import { hidden } from '#web/form.ts';
import { button } from '#web/fields.ts';
import type { Link } from '#web/layout.ts';

import type { Session } from '../../auth/sessions/session.ts';
import type { Urls } from '../../json/urls.ts';
import type { Account, OrganizationRole } from '../../model/account.ts';
import { followsPath, organizationPath } from '../kit/page-paths.ts';
import type { WebContext } from '../kit/web-context.ts';

/** Name, picture and profile of a user or an organization. */
export function accountHead(
  account: Account,
  { urls, now, session }: Pick<WebContext, 'urls' | 'now' | 'session'>,
): Html {
  const details: readonly (readonly [name: string, value: Html | string | null])[] = [
    ['Company', account.company],
    ['Location', account.location],
    ['Website', account.blog === null ? null : websiteView(account.blog)],
    // Addresses on public pages are collected by senders of spam.
    ['Email', session ? account.email : null],
    [account.kind === 'organization' ? 'Created' : 'Joined', timeElement(account.createdAt, now)],
  ];
  return html`<h1>
      <img class="avatar" src="${urls.avatar(account.id)}" alt="" width="48" height="48" />
      ${account.login}
      ${account.siteAdmin ? html`<span class="mark">site administrator</span>` : ''}
    </h1>
    ${account.name === null ? '' : html`<p>${account.name}</p>`}
    ${account.bio === null ? '' : html`<p>${account.bio}</p>`}
    <dl class="facts">
      ${details.map(([name, value]) =>
        value === null || value === ''
          ? ''
          : html`<div>
              <dt>${name}</dt>
              <dd>${value}</dd>
            </div>`,
      )}
    </dl>`;
}

/** Text of a user: only an HTTP URL becomes a link. */
function websiteView(pageUrl: string): Html | string {
  if (!/^https?:\/\//i.test(pageUrl)) return pageUrl;
  return html`<a href="${pageUrl}" rel="nofollow me">${pageUrl}</a>`;
}

/** Tabs by the URL of each; `present` is the URL of this one. */
export function tabsView(label: string, links: readonly Link[], present: string): Html {
  return html`<nav class="tabs" aria-label="${label}">
    ${links.map(
      ({ href, label: text }) =>
        html`<a href="${href}" ${href === present ? html`aria-current="page"` : ''}>${text}</a> `,
    )}
  </nav>`;
}

/** The pages of an organization that its members see, and those of its owners. */
export function organizationTabs(
  organization: Account,
  role: OrganizationRole | undefined,
  { urls, pageUrl }: Pick<WebContext, 'urls' | 'pageUrl'>,
): Html {
  const at = organizationPath(organization.login);
  const links = [
    { href: new URL(urls.userHtml(organization.login)).pathname, label: 'Repositories' },
    ...(role === undefined
      ? []
      : [
          { href: `${at}/people`, label: 'People' },
          { href: `${at}/teams`, label: 'Teams' },
        ]),
    ...(role === 'admin' ? [{ href: `${at}/settings`, label: 'Settings' }] : []),
  ];
  return tabsView('Organization', links, pageUrl.split('?', 1)[0] ?? '');
}

export function accountList(accounts: readonly Account[], urls: Urls, empty: string): Html {
  if (accounts.length === 0) return html`<p class="empty">${empty}</p>`;
  return html`<ul class="rows">
    ${accounts.map((account) => html`<li>${accountLink(account, urls)}</li>`)}
  </ul>`;
}

/** Login and name in a row. Without pictures, each of which would be a request. */
export function accountLink(account: Account, urls: Urls): Html {
  return html`<a class="grow" href="${urls.userHtml(account.login)}">${account.login}</a>
    ${account.name === null ? '' : html`<span>${account.name}</span>`}`;
}

/** Follows a user or stops following. */
export function followForm(account: Account, { secret }: Session, follows: boolean): Html {
  const form = createPageForm(followsPath, secret, undefined);
  return form.row(
    follows ? 'remove' : 'add',
    html`${hidden('login', account.login)}
    ${button(follows ? 'Unfollow' : 'Follow', '', account.login)}`,
  );
}
