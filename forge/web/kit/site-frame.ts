import { loginPath } from './login-path.ts';
import type { Session } from '../../auth/sessions/session.ts';
import type { Urls } from '../../json/urls.ts';
import { tokenFor } from '#web/form.ts';
import { html, type Html } from '#web/html.ts';
import { type Frame, type Link, navigationLink } from '#web/layout.ts';
import {
  administrationPath,
  explorePath,
  inboxPath,
  invitationsPath,
  newOrganizationPath,
  profilePath,
} from './page-paths.ts';

/** The viewer and URL of a page. */
export interface Viewer {
  readonly urls: Urls;
  readonly session: Session | undefined;
  /** Path and query of the page. */
  readonly pageUrl: string;
  /** Pages of other services on this site, for signed-in users. */
  readonly otherPages: readonly Link[];
}

/** The frame of the pages of the forge. */
export function siteFrame({ urls, session, pageUrl, otherPages }: Viewer): Frame {
  return {
    links: [
      { href: urls.web('/'), label: 'Home', shortcut: 'g d' },
      { href: explorePath, label: 'Explore' },
      { href: '/search', label: 'Search', shortcut: '/' },
      ...(session ? otherPages : []),
      { href: urls.docs(''), label: 'Reference' },
    ],
    pageUrl,
    account: session ? accountMenu(session, urls, pageUrl) : signInLink(pageUrl),
    shortcuts: session !== undefined,
    forms: session !== undefined,
  };
}

function signInLink(pageUrl: string): Html {
  return html`<a href="${loginPath(pageUrl)}" rel="nofollow">Sign in</a>`;
}

/** Opens without a script. */
function accountMenu({ account, secret }: Session, urls: Urls, pageUrl: string): Html {
  const links: readonly Link[] = [
    { href: urls.userHtml(account.login), label: 'Your page' },
    { href: inboxPath, label: 'Notifications', shortcut: 'g n' },
    { href: invitationsPath, label: 'Invitations' },
    { href: newOrganizationPath, label: 'New organization' },
    { href: profilePath, label: 'Profile' },
    { href: '/settings/emails', label: 'E-mail addresses' },
    { href: '/settings/security', label: 'Security' },
    { href: '/settings/tokens', label: 'Tokens' },
    { href: '/settings/keys', label: 'SSH keys' },
    { href: '/settings/applications', label: 'Applications' },
    ...(account.siteAdmin ? [{ href: administrationPath, label: 'Administration' }] : []),
  ];
  return html`<details class="menu">
    <summary>${account.login}</summary>
    <nav aria-label="Account">
      ${links.map((link) => navigationLink(link, pageUrl))}
      <form method="post" action="/logout">
        ${tokenFor(secret)}<button type="submit">Sign out</button>
      </form>
    </nav>
  </details>`;
}
