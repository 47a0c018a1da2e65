import type { PersonalToken } from '../../auth/credential-store.ts';
import type { Page } from '../../http/pagination.ts';
import { type Scope, scopes as allScopes } from '../../model/scopes.ts';
import { selectField, textField } from '#web/fields.ts';
import { asking, hiddenToken, problemView } from '#web/form.ts';
import { html, type Html, timeElement, pageLinks } from '#web/html.ts';
import { formPage, type WebResponse } from '#web/web-response.ts';
import { accountNav } from './account-nav.ts';

interface TokensView {
  readonly tokens: readonly PersonalToken[];
  readonly page: Page;
  readonly hasNext: boolean;
  readonly pageUrl: string;
  readonly formToken: string;
  /** Whether the scope of site administrators is offered. */
  readonly siteAdmin: boolean;
  /** What was filled in before something went wrong. */
  readonly note: string;
  readonly expiration: string;
  readonly expiresOn: string;
  readonly chosen: ReadonlySet<string>;
  readonly problem: string | undefined;
  readonly now: number;
}

/** How long a token may be valid, in days or a word. */
export const expirations: readonly { readonly value: string; readonly label: string }[] = [
  ...['7', '30', '60', '90'].map((value) => ({ value, label: `${value} days` })),
  { value: 'custom', label: 'On a date' },
  { value: 'none', label: 'No expiration' },
];

export const usualExpiration = '30';

export function tokensPage(view: TokensView): WebResponse {
  const body = html`<h1>Personal access tokens</h1>
    ${accountNav('/settings/tokens')}
    <p>
      Use a token instead of your password, for the API and for git. Its scopes limit its access.
      For tokens of authorized applications, see
      <a href="/settings/applications">Applications</a>.
    </p>
    ${problemView(view.problem)} ${tokenList(view)}
    ${pageLinks(view.pageUrl, view.page, view.hasNext)}
    <h2>New token</h2>
    <form class="fields" method="post" action="${view.pageUrl}">
      ${hiddenToken(view.formToken)}
      ${textField({
        label: 'Note',
        name: 'note',
        value: view.note,
        maxLength: 255,
        required: true,
        prose: true,
      })}
      ${selectField({
        label: 'Expiration',
        name: 'expiration',
        value: view.expiration,
        options: expirations,
      })}
      ${textField({
        label: 'Date, if it expires on a date (UTC)',
        name: 'expires_on',
        value: view.expiresOn,
        type: 'date',
      })}
      <fieldset>
        <legend>Scopes (without scopes, the token reads only public data)</legend>
        ${allScopes
          .filter((scope) => scope !== 'site_admin' || view.siteAdmin)
          .map((scope) => scopeBox(scope, view.chosen.has(scope)))}
      </fieldset>
      <button type="submit">Create token</button>
    </form>`;
  return formPage('Personal access tokens', body, view.problem === undefined ? 200 : 422);
}

/** The one page on which the token can be read. */
export function newTokenPage(
  token: string,
  cookies: readonly string[],
): WebResponse & { kind: 'page' } {
  const body = html`<h1>New token</h1>
    <p>Copy the token now: it cannot be shown again.</p>
    <pre tabindex="0">${token}</pre>
    <p><a href="/settings/tokens">All tokens</a></p>`;
  return { ...formPage('New token', body), cookies, secret: true };
}

function tokenList(view: TokensView): Html {
  if (view.tokens.length === 0)
    return html`<p class="empty">No tokens. Create the first one below.</p>`;
  return html`<ul class="rows">
    ${view.tokens.map(
      (token) =>
        html`<li>
          <span class="grow">${token.note ?? 'without a note'}</span>
          <code>…${token.lastEight}</code>
          <span>${token.scopes.length === 0 ? 'no scopes' : token.scopes.join(', ')}</span>
          ${token.issued ? html`<span class="mark">created by a site administrator</span>` : ''}
          <span>created ${timeElement(token.createdAt, view.now)}</span>
          ${usedView(token.lastUsedAt, view.now)} ${expiryView(token.expiresAt, view.now)}
          ${asking(
            'Delete',
            html`<form method="post" action="${view.pageUrl}/${token.id}/delete">
              ${hiddenToken(view.formToken)}
              <p>Programs that use it get 401 at once.</p>
              <button
                class="danger"
                type="submit"
                aria-label="Delete the token ${token.note ?? token.lastEight}"
              >
                Delete it for good
              </button>
            </form>`,
          )}
        </li>`,
    )}
  </ul>`;
}

export function usedView(lastUsedAt: number | null, now: number): Html {
  if (lastUsedAt === null) return html`<span class="soft">never used</span>`;
  return html`<span>used ${timeElement(lastUsedAt, now)}</span>`;
}

export function expiryView(expiresAt: number | null, now: number): Html {
  if (expiresAt === null) return html`<span class="soft">does not expire</span>`;
  if (expiresAt <= now)
    return html`<span class="mark">expired ${timeElement(expiresAt, now)}</span>`;
  return html`<span>expires ${timeElement(expiresAt, now)}</span>`;
}

function scopeBox(scope: Scope, chosen: boolean): Html {
  return html`<label
    ><input type="checkbox" name="scopes" value="${scope}" ${chosen ? html`checked` : ''} />
    <code>${scope}</code> ${scopeDescriptions[scope]}</label
  >`;
}

/** What each scope lets its holder do, as the end of "It may". */
export const scopeDescriptions: Readonly<Record<Scope, string>> = {
  repo: 'read and change all your repositories, private ones included',
  'repo:status': 'read and set commit statuses',
  repo_deployment: 'read and set deployment statuses',
  public_repo: 'read and change your public repositories',
  'repo:invite': 'accept and decline your repository invitations',
  'admin:org': 'administer your organizations and their members',
  'write:org': 'change your memberships in organizations',
  'read:org': 'read your memberships in organizations',
  'admin:public_key': 'administer your public keys',
  'write:public_key': 'read and add public keys',
  'read:public_key': 'read your public keys',
  'admin:repo_hook': 'administer the webhooks of your repositories',
  'write:repo_hook': 'create and edit the webhooks of your repositories',
  'read:repo_hook': 'read the webhooks of your repositories',
  notifications: 'read your notifications and mark them as read',
  user: 'read and change your profile',
  'read:user': 'read your profile',
  'user:email': 'read your e-mail address',
  'user:follow': 'follow users and stop following them',
  delete_repo: 'delete your repositories',
  gist: 'create gists (not supported by this server)',
  workflow: 'change workflow files',
  site_admin: 'administer this server',
};
