import { button, textField } from '#web/fields.ts';
import { counted, html, type Html, pageLinks, timeElement } from '#web/html.ts';
import { createPageForm, type RefusedForm } from '#web/page-form.ts';
import { formPage, page, type WebResponse } from '#web/web-response.ts';

import { readPage } from '../../http/pagination.ts';
import {
  listApplications,
  listApps,
  type ListedApplication,
  searchAccounts,
} from '../../site/administration-store.ts';
import { administrationPath } from '../kit/page-paths.ts';
import type { Perform } from '../kit/perform.ts';
import type { FormContext, WebContext } from '../kit/web-context.ts';
import type { SignedIn } from '../kit/with-session.ts';
import { accountLink } from '../parts/account-views.ts';
import { administrationHead, loginSearch, searchUrl } from '../parts/administration-views.ts';
import { answerAct, unknownAct } from './discussion-acts.ts';

/** All organizations, and a form for a new one. */
export async function showOrganizations(
  context: WebContext & SignedIn,
  refused?: RefusedForm,
): Promise<WebResponse> {
  const { ports, query, urls, session, now } = context;
  const bounds = readPage(query);
  const text = query.get('q') ?? '';
  const { accounts, total } = await ports.database.read((sql) =>
    searchAccounts(sql, { kind: 'organization', text }, bounds),
  );
  const pageUrl = `${administrationPath}/organizations`;
  const form = createPageForm(pageUrl, session.secret, refused);
  return formPage(
    'Organizations · Administration',
    html`${administrationHead('Organizations', context)} ${loginSearch(pageUrl, text)}
      ${
        accounts.length === 0
          ? html`<p class="empty">No organization is found. Create one below.</p>`
          : html`<ul class="rows">
              ${accounts.map(
                (account) =>
                  html`<li>
                    ${accountLink(account, urls)} ${timeElement(account.createdAt, now)}
                  </li>`,
              )}
            </ul>`
      }
      ${pageLinks(searchUrl(pageUrl, text), bounds, bounds.offset + bounds.size < total)}
      <h2>New organization</h2>
      ${form.view(
        'create',
        html`${textField({
          label: 'Login',
          name: 'login',
          value: form.value('login'),
          maxLength: 39,
          required: true,
        })}
        ${textField({
          label: 'Login of its first owner',
          name: 'admin',
          value: form.value('admin'),
          required: true,
        })}
        ${textField({
          label: 'Name',
          name: 'profile_name',
          value: form.value('profile_name'),
          prose: true,
        })}
        ${button('Create organization', 'primary')}`,
      )}`,
    refused?.status,
  );
}

export function submitOrganization(
  perform: Perform,
): (context: FormContext & SignedIn) => Promise<WebResponse> {
  return async (context) => {
    const { form } = context;
    return answerAct(context, showOrganizations, async (name) => {
      if (name !== 'create') unknownAct();
      const profileName = (form.get('profile_name') ?? '').trim();
      await perform(
        context,
        'enterprise-admin/create-org',
        {},
        {
          login: (form.get('login') ?? '').trim(),
          admin: (form.get('admin') ?? '').trim(),
          ...(profileName !== '' && { profile_name: profileName }),
        },
      );
      return `${administrationPath}/organizations`;
    });
  };
}

/** Applications with an id and a secret, and GitHub Apps. */
export async function showSiteApplications(context: WebContext & SignedIn): Promise<WebResponse> {
  const { ports, query, now } = context;
  const bounds = readPage(query);
  const { registered, apps } = await ports.database.read(async (sql) => ({
    registered: await listApplications(sql, bounds),
    apps: await listApps(sql, bounds),
  }));
  const list = (items: readonly ListedApplication[], use: string, empty: string): Html =>
    items.length === 0
      ? html`<p class="empty">${empty}</p>`
      : html`<ul class="rows">
          ${items.map(
            ({ name, clientId, uses, createdAt }) =>
              html`<li>
                <span class="grow">${name}</span> <code>${clientId}</code>
                <span>${counted(uses, use)}</span>
                ${createdAt === 0 ? html`<span class="soft">built in</span>` : timeElement(createdAt, now)}
              </li>`,
          )}
        </ul>`;
  const total = Math.max(registered.total, apps.total);
  return page(
    'Applications · Administration',
    html`${administrationHead('Applications', context)}
      ${list(
        registered.applications,
        'token',
        'No applications on this page. ./hob admin create-application registers one.',
      )}
      <h2>GitHub Apps</h2>
      ${list(
        apps.applications,
        'installation',
        'No Apps on this page. ./hob admin create-app creates one.',
      )}
      ${pageLinks(
        `${administrationPath}/applications`,
        bounds,
        bounds.offset + bounds.size < total,
      )}`,
  );
}

/** What the program around the forge says of itself. */
export async function showServer(context: WebContext & SignedIn): Promise<WebResponse> {
  const { ports, now } = context;
  const status = ports.serverStatus;
  const none = html`<p class="empty">The forge runs without the rest of Hob.</p>`;
  return page(
    'Server · Administration',
    html`${administrationHead('Server', context)}
    ${
      status === undefined
        ? none
        : html`<h3>Isolation and runtimes of functions</h3>
            <pre tabindex="0">${(await status.host()).join('\n')}</pre>
            <h3>Maintenance</h3>
            <dl class="facts">
              ${status.tasks().map(
                ({ name, last }) =>
                  html`<div>
                    <dt>${name}</dt>
                    <dd>
                      ${
                        last === undefined
                          ? 'has not run since the start'
                          : html`${last.failed ? html`<span class="bad">failed</span>` : 'ended'}
                            ${timeElement(last.endedAt, now)}`
                      }
                    </dd>
                  </div>`,
              )}
            </dl>
            <h3>Settings in force</h3>
            <dl class="facts">
              ${status.settings.map(
                ({ name, value, source }) =>
                  html`<div>
                    <dt><code>${name}</code></dt>
                    <dd>${value} <span class="mark">${source}</span></dd>
                  </div>`,
              )}
            </dl>`
    }`,
  );
}
