import { administrationHead as headOf } from '#web/administration.ts';
import { button, textField } from '#web/fields.ts';
import { asking } from '#web/form.ts';
import { html, type Html, timeElement } from '#web/html.ts';
import type { PageForm } from '#web/page-form.ts';

import type { Account } from '../../model/account.ts';
import { reasonCharactersMax } from '../../site/suspend-user.ts';
import { administrationLinks } from '../kit/administration-links.ts';
import type { WebContext } from '../kit/web-context.ts';

/** The top of every page for site administrators. */
export function administrationHead(
  title: string,
  { ports, pageUrl }: Pick<WebContext, 'ports' | 'pageUrl'>,
): Html {
  return headOf(title, administrationLinks(ports), pageUrl);
}

/** Searches accounts by a part of their login. */
export function loginSearch(pageUrl: string, text: string): Html {
  return html`<form class="line" method="get" action="${pageUrl}">
    ${textField({ label: 'Login contains', name: 'q', value: text })}
    <button type="submit">Search</button>
  </form>`;
}

/** The URL of a list with its search. */
export function searchUrl(pageUrl: string, text: string): string {
  return text === '' ? pageUrl : `${pageUrl}?q=${encodeURIComponent(text)}`;
}

/** Makes a user a site administrator, or an ordinary one. */
export function adminForm(form: PageForm, user: Account, viewer: Account): Html {
  if (user.id === viewer.id) return html`<p>You are a site administrator.</p>`;
  const fields = user.siteAdmin
    ? html`<p>${user.login} administers this server.</p>
        ${button('Make an ordinary user', 'danger')}`
    : html`<p>${user.login} could then do everything on this server that you can.</p>
        ${button('Make a site administrator', 'danger')}`;
  return asking(
    user.siteAdmin ? 'Demote' : 'Promote',
    form.row(user.siteAdmin ? 'demote' : 'promote', fields),
  );
}

/** Suspends a user, or ends that. */
export function suspensionForm(
  form: PageForm,
  { login, siteAdmin, suspendedAt }: Account,
  now: number,
): Html {
  if (siteAdmin) return html`<p>A site administrator is demoted before a suspension.</p>`;
  const isSuspended = suspendedAt !== null;
  const reason = textField({
    label: 'Reason, for the audit log',
    name: 'reason',
    maxLength: reasonCharactersMax,
    prose: true,
  });
  const fields = isSuspended
    ? html`<p>${login} signs in with the credentials of before.</p>
        ${reason} ${button('Unsuspend', 'danger')}`
    : html`<p>
          ${login} is signed out, and no password, token, key or application of the user is
          accepted. Repositories, issues and comments stay.
        </p>
        ${reason} ${button('Suspend', 'danger')}`;
  return html`${isSuspended ? html`<p>Suspended ${timeElement(suspendedAt, now)}.</p>` : ''}
  ${asking(
    isSuspended ? 'Unsuspend' : 'Suspend',
    form.row(isSuspended ? 'unsuspend' : 'suspend', fields, 'fields'),
  )}`;
}
