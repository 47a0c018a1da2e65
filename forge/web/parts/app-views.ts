import type { AppManifest } from '../../auth/apps/manifest-input.ts';
import type { App, AppPermissions, Installation } from '../../model/app.ts';
import { textArea, textField } from '#web/fields.ts';
import { asking, hidden, hiddenToken } from '#web/form.ts';
import { html, type Html, timeElement } from '#web/html.ts';
import { formPage, page, type WebResponse } from '#web/web-response.ts';
import { accountNav } from './account-nav.ts';

export function manifestPage(action: string, formToken: string): WebResponse {
  return formPage(
    'New GitHub App',
    html`<h1>New GitHub App</h1>
      <p>
        Set-up pages of Apps send their manifest here. You can also paste one; its
        <code>redirect_url</code> gets a code for
        <code>POST /app-manifests/{code}/conversions</code>.
      </p>
      <form class="fields" method="post" action="${action}">
        ${hiddenToken(formToken)}
        ${textArea({ label: 'Manifest', name: 'manifest', rows: 16, required: true })}
        <button type="submit">Create GitHub App</button>
      </form>`,
  );
}

interface ManifestView {
  readonly action: string;
  readonly manifest: AppManifest;
  /** The manifest as it was sent. */
  readonly text: string;
  readonly state: string;
}

/** Browsers do not send the session cookie with a form of another site, but with the form of this page. */
export function signInFirstPage(view: ManifestView): WebResponse {
  const { name } = view.manifest;
  return formPage(
    `Create ${name}`,
    html`<h1>Create ${name}</h1>
      <p>Sign in, and then continue. <a href="/login">Sign in</a></p>
      ${manifestForm(view, html`<button type="submit">Continue</button>`)}`,
  );
}

export function confirmationPage(
  view: ManifestView & { readonly owner: string; readonly formToken: string },
): WebResponse {
  const { manifest } = view;
  const { origin } = new URL(manifest.redirectUrl ?? manifest.url);
  const body = html`<h1>Create ${manifest.name}</h1>
    <p>
      <code>${origin}</code> wants to create the GitHub App <strong>${manifest.name}</strong>, owned
      by ${view.owner}, and gets its private key.
    </p>
    <h2>Permissions</h2>
    ${permissionList(manifest.permissions)}
    <p>
      ${
        manifest.hookUrl === null
          ? 'No webhook.'
          : html`Webhook: <code>${manifest.hookUrl}</code>, events:
              ${manifest.events.join(', ') || 'none'}.`
      }
    </p>
    ${manifestForm(
      view,
      html`${hiddenToken(view.formToken)}<button type="submit">
          Create GitHub App for ${view.owner}
        </button>`,
    )}`;
  return { ...formPage(`Create ${manifest.name}`, body), forms: [origin] };
}

export function appPage(app: App): WebResponse {
  return page(
    app.name,
    html`<h1>${app.name}</h1>
      <p>GitHub App of ${app.owner.login}: <a href="${app.externalUrl}">${app.externalUrl}</a></p>
      ${app.description === null ? '' : html`<p>${app.description}</p>`}
      <h2>Permissions</h2>
      ${permissionList(app.permissions)}
      <p><a href="/apps/${app.slug}/installations/new">Install</a></p>`,
  );
}

export function installPage(app: App, login: string, formToken: string): WebResponse {
  return formPage(
    `Install ${app.name}`,
    html`<h1>Install ${app.name}</h1>
      <p>It will have these permissions:</p>
      ${permissionList(app.permissions)}
      <form class="fields" method="post" action="/apps/${app.slug}/installations/new">
        ${hiddenToken(formToken)}
        ${textField({
          label: 'Your account, or an organization that you own',
          name: 'account',
          value: login,
          required: true,
          prose: true,
        })}
        <fieldset>
          <legend>Repositories</legend>
          <label
            ><input type="radio" name="selection" value="all" checked /> All, also future
            ones</label
          >
          <label><input type="radio" name="selection" value="selected" /> Only these:</label>
          <input name="repositories" aria-label="Names of repositories, separated by spaces" />
        </fieldset>
        <button type="submit">Install</button>
      </form>`,
  );
}

export function installationsPage(
  installations: readonly Installation[],
  formToken: string,
  now: number,
): WebResponse {
  return formPage(
    'Installed GitHub Apps',
    html`<h1>Installed GitHub Apps</h1>
      ${accountNav('/settings/installations')}
      ${
        installations.length === 0
          ? html`<p class="empty">No GitHub App is installed on your accounts.</p>`
          : html`<ul class="rows">
              ${installations.map((installation) => installationRow(installation, formToken, now))}
            </ul>`
      }`,
  );
}

function installationRow(installation: Installation, formToken: string, now: number): Html {
  const { id, appSlug, account, repositorySelection, createdAt } = installation;
  return html`<li>
    <span class="grow"><a href="/apps/${appSlug}">${appSlug}</a> on ${account.login}</span>
    <span>${repositorySelection === 'all' ? 'all repositories' : 'selected repositories'}</span>
    since ${timeElement(createdAt, now)}
    ${asking(
      'Uninstall',
      html`<form method="post" action="/settings/installations/${id}/delete">
        ${hiddenToken(formToken)}
        <p>Its tokens end at once.</p>
        <button
          class="danger"
          type="submit"
          aria-label="Uninstall ${appSlug} from ${account.login}"
        >
          Uninstall it
        </button>
      </form>`,
    )}
  </li>`;
}

function manifestForm({ action, text, state }: ManifestView, rest: Html): Html {
  return html`<form class="fields" method="post" action="${action}">
    ${hidden('manifest', text)}${hidden('state', state)}${rest}
  </form>`;
}

function permissionList(permissions: AppPermissions): Html {
  const entries = Object.entries(permissions);
  if (entries.length === 0) return html`<p>Reads metadata of repositories.</p>`;
  return html`<ul>
    ${entries.map(([name, level]) => html`<li><code>${name}</code>: ${level}</li>`)}
  </ul>`;
}
