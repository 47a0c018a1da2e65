import { button } from '#web/fields.ts';
import { asking, hidden, problemView } from '#web/form.ts';
import { html, type Html, pageLinks } from '#web/html.ts';
import { createPageForm, type PageForm, type RefusedForm } from '#web/page-form.ts';
import { formPage, type WebResponse } from '#web/web-response.ts';

import { notFound } from '../../errors/api-error.ts';
import { readPage } from '../../http/pagination.ts';
import {
  deleteSiteKey,
  deleteSiteToken,
  listSiteKeys,
  listSiteTokens,
  type SiteKey,
  type SiteToken,
} from '../../site/credential-list-store.ts';
import { recordedAct } from '../../site/recorded-act.ts';
import { administrationPath } from '../kit/page-paths.ts';
import type { FormContext, WebContext } from '../kit/web-context.ts';
import type { SignedIn } from '../kit/with-session.ts';
import { administrationHead, loginSearch, searchUrl } from '../parts/administration-views.ts';
import { expiryView, usedView } from '../parts/token-views.ts';
import { answerAct, unknownAct } from './discussion-acts.ts';

const tokensPath = `${administrationPath}/tokens`;
const keysPath = `${administrationPath}/keys`;

type Context = WebContext & SignedIn;

/** The tokens of all users. */
export async function showSiteTokens(
  context: Context,
  refused?: RefusedForm,
): Promise<WebResponse> {
  const { ports, query, now } = context;
  const [text, bounds] = [query.get('q') ?? '', readPage(query)];
  const { tokens, total } = await ports.database.read((sql) => listSiteTokens(sql, text, bounds));
  return listPage(context, refused, {
    title: 'Tokens',
    pageUrl: tokensPath,
    empty: 'No token is found.',
    hasNext: bounds.offset + bounds.size < total,
    rows: (form) => tokens.map((token) => tokenRow(token, form, now)),
  });
}

function tokenRow(token: SiteToken, form: PageForm, now: number): Html {
  const { id, login, note, scopes, lastEight, application, issued } = token;
  const kind = application === null ? (issued ? 'by an administrator' : 'personal') : 'application';
  return html`<li>
    ${userLink(login)} <span class="mark">${kind}</span>
    <span class="grow">${application ?? note ?? 'without a note'}</span> <code>…${lastEight}</code>
    <span>${scopes.join(', ') || 'no scopes'}</span>
    ${usedView(token.lastUsedAt, now)} ${expiryView(token.expiresAt, now)}
    ${revokeForm(form, id, `the token ${lastEight} of ${login}`)}
  </li>`;
}

/** The keys for git over SSH of all users and repositories. */
export async function showSiteKeys(context: Context, refused?: RefusedForm): Promise<WebResponse> {
  const { ports, query, now } = context;
  const [text, bounds] = [query.get('q') ?? '', readPage(query)];
  const { keys, total } = await ports.database.read((sql) => listSiteKeys(sql, text, bounds));
  return listPage(context, refused, {
    title: 'SSH keys',
    pageUrl: keysPath,
    empty: 'No key is found.',
    hasNext: bounds.offset + bounds.size < total,
    rows: (form) => keys.map((key) => keyRow(key, form, now)),
  });
}

function keyRow(key: SiteKey, form: PageForm, now: number): Html {
  const { id, login, title, fingerprint, repository, readOnly, lastUsedAt } = key;
  return html`<li>
    ${userLink(login)}
    <span class="mark">${repository === null ? 'user' : `deploy key of ${repository}`}</span>
    ${readOnly ? html`<span class="mark">read-only</span>` : ''}
    <span class="grow">${title}</span> <code>SHA256:${fingerprint}</code>
    ${usedView(lastUsedAt, now)} ${revokeForm(form, id, `the key ${title} of ${login}`)}
  </li>`;
}

function listPage(
  context: Context,
  refused: RefusedForm | undefined,
  list: {
    readonly title: string;
    readonly pageUrl: string;
    readonly empty: string;
    readonly hasNext: boolean;
    readonly rows: (form: PageForm) => readonly Html[];
  },
): WebResponse {
  const { title, pageUrl } = list;
  const text = context.query.get('q') ?? '';
  const form = createPageForm(pageUrl, context.session.secret, refused);
  const rows = list.rows(form);
  return formPage(
    `${title} · Administration`,
    html`${administrationHead(title, context)} ${problemView(form.problemLeft())}
    ${loginSearch(pageUrl, text)}
    ${
      rows.length === 0
        ? html`<p class="empty">${list.empty}</p>`
        : html`<ul class="rows">
            ${rows}
          </ul>`
    }
    ${pageLinks(searchUrl(pageUrl, text), readPage(context.query), list.hasNext)}`,
    refused?.status,
  );
}

function userLink(login: string): Html {
  return html`<a href="${administrationPath}/users/${login}">${login}</a>`;
}

function revokeForm(form: PageForm, id: number, about: string): Html {
  return asking(
    'Revoke',
    form.row('revoke', html`${hidden('id', String(id))} ${button('Revoke', 'danger', about)}`),
  );
}

export function submitTokenRevocation(context: FormContext & SignedIn): Promise<WebResponse> {
  return revoke(context, {
    show: showSiteTokens,
    pageUrl: tokensPath,
    action: 'oauth_access.destroy',
    end: deleteSiteToken,
  });
}

export function submitKeyRevocation(context: FormContext & SignedIn): Promise<WebResponse> {
  return revoke(context, {
    show: showSiteKeys,
    pageUrl: keysPath,
    action: 'public_key.delete',
    end: deleteSiteKey,
  });
}

function revoke(
  context: FormContext & SignedIn,
  what: {
    readonly show: typeof showSiteTokens;
    readonly pageUrl: string;
    readonly action: string;
    readonly end: typeof deleteSiteToken;
  },
): Promise<WebResponse> {
  const { ports, form, session, from } = context;
  return answerAct(context, what.show, async (name) => {
    if (name !== 'revoke') unknownAct();
    const id = form.get('id') ?? '';
    if (!/^\d{1,15}$/.test(id)) notFound();
    const parameters: Record<string, string> = { id };
    const act = { action: what.action, actor: session.account.login, from, parameters };
    await recordedAct(ports, act, async () => {
      parameters['user'] =
        (await ports.database.write((sql) => what.end(sql, Number(id)))) ?? notFound();
    });
    return what.pageUrl;
  });
}
