import type { Sql } from '#platform/database/database.ts';
import { button, textField } from '#web/fields.ts';
import { asking, hidden, problemView } from '#web/form.ts';
import { html, type Html, pageLinks, timeElement } from '#web/html.ts';
import { createPageForm, type PageForm, type RefusedForm } from '#web/page-form.ts';
import { formPage, type WebResponse } from '#web/web-response.ts';

import {
  accountsById,
  findAccount,
  isSuspended,
  setSiteAdmin,
} from '../../accounts/account-store.ts';
import { setPassword } from '../../accounts/set-password.ts';
import { listEmails } from '../../accounts/email-store.ts';
import { deletePersonalToken, listPersonalTokens } from '../../auth/credential-store.ts';
import { endSessions } from '../../auth/sessions/session-store.ts';
import { notFound, refuse } from '../../errors/api-error.ts';
import { writeAccounts } from '../../events/invalidate.ts';
import { readPage } from '../../http/pagination.ts';
import { otherSiteAdmins, searchAccounts } from '../../site/administration-store.ts';
import { recordedAct } from '../../site/recorded-act.ts';
import { reasonCharactersMax, suspendUser, unsuspendUser } from '../../site/suspend-user.ts';
import { deleteSshKey, listSshKeys } from '../../ssh-keys/ssh-key-store.ts';
import { administrationPath } from '../kit/page-paths.ts';
import type { Perform } from '../kit/perform.ts';
import type { FormContext, WebContext } from '../kit/web-context.ts';
import type { SignedIn } from '../kit/with-session.ts';
import {
  administrationHead,
  adminForm,
  loginSearch,
  searchUrl,
  suspensionForm,
} from '../parts/administration-views.ts';
import { expiryView, usedView } from '../parts/token-views.ts';
import { answerAct, unknownAct } from './discussion-acts.ts';

const usersPath = `${administrationPath}/users`;

/** Tokens, and keys, on the page of a user for site administrators. */
const credentialsMax = 100;
const bounds = { offset: 0, size: credentialsMax };

/** All users, and a form for a new one. */
export async function showUsers(
  context: WebContext & SignedIn,
  refused?: RefusedForm,
): Promise<WebResponse> {
  const { ports, query, session, now } = context;
  const listed = readPage(query);
  const text = query.get('q') ?? '';
  const { accounts, total } = await ports.database.read((sql) =>
    searchAccounts(sql, { kind: 'user', text }, listed),
  );
  const form = createPageForm(usersPath, session.secret, refused);
  return formPage(
    'Users · Administration',
    html`${administrationHead('Users', context)} ${loginSearch(usersPath, text)}
      ${
        accounts.length === 0
          ? html`<p class="empty">No user is found. Create one below.</p>`
          : html`<ul class="rows">
              ${accounts.map(
                (account) =>
                  html`<li>
                    <a class="grow" href="${usersPath}/${account.login}">${account.login}</a>
                    ${account.siteAdmin ? html`<span class="mark">site administrator</span>` : ''}
                    ${account.suspendedAt === null ? '' : html`<span class="mark">suspended</span>`}
                    <span>${account.email ?? ''}</span> ${timeElement(account.createdAt, now)}
                  </li>`,
              )}
            </ul>`
      }
      ${pageLinks(searchUrl(usersPath, text), listed, listed.offset + listed.size < total)}
      <h2>New user</h2>
      <p>
        The user has no password. Create a token on the command line, or a user with a password:
        <code>./hob admin create-user LOGIN --password …</code>
      </p>
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
          label: 'E-mail address',
          name: 'email',
          type: 'email',
          value: form.value('email'),
        })}
        ${button('Create user', 'primary')}`,
      )}`,
    refused?.status,
  );
}

export function submitUser(
  perform: Perform,
): (context: FormContext & SignedIn) => Promise<WebResponse> {
  return async (context) => {
    const { form } = context;
    return answerAct(context, showUsers, async (name) => {
      if (name !== 'create') unknownAct();
      const login = (form.get('login') ?? '').trim();
      const email = (form.get('email') ?? '').trim();
      const body = { login, ...(email !== '' && { email }) };
      await perform(context, 'enterprise-admin/create-user', {}, body);
      return `${usersPath}/${login}`;
    });
  };
}

/** A user with its tokens and keys, which a site administrator revokes. */
export async function showUser(
  context: WebContext & SignedIn,
  refused?: RefusedForm,
): Promise<WebResponse> {
  const { ports, path, urls, session, now } = context;
  const { user, emails, tokens, keys } = await ports.database.read(async (sql) => {
    const account = await findAccount(sql, path['user'] ?? '');
    if (account?.kind !== 'user') return notFound();
    return {
      user: account,
      tokens: await listPersonalTokens(sql, account.id, bounds),
      emails: await listEmails(sql, account.id),
      keys: (await listSshKeys(sql, { accountId: account.id }, bounds)).keys,
    };
  });
  const form = createPageForm(`${usersPath}/${user.login}`, session.secret, refused);
  const shown = html`<p><a href="${urls.userHtml(user.login)}">Page of ${user.login}</a></p>
    <h3>E-mail addresses</h3>
    <p>${emails.length === 0 ? 'None.' : emails.map(({ email }) => email).join(', ')}</p>
    <h3>Site administrator</h3>
    ${adminForm(form, user, session.account)}
    <h3>Suspension</h3>
    ${suspensionForm(form, user, now)}
    <h3>Password</h3>
    ${asking(
      'Set a password',
      form.row(
        'set-password',
        html`<p>Signs ${user.login} out of every browser. Tokens and keys stay.</p>
          <input type="text" name="username" value="${user.login}" autocomplete="username" hidden />
          ${textField({
            label: 'New password',
            name: 'password',
            type: 'password',
            autocomplete: 'new-password',
            required: true,
          })}
          ${button('Set password', 'danger')}`,
        'fields',
      ),
    )}
    <h3>Sessions</h3>
    ${form.row(
      'end-sessions',
      html`<p>Signs ${user.login} out of every browser.</p>
        ${button('End all sessions', 'danger')}`,
    )}
    <h3>Personal access tokens</h3>
    ${
      tokens.length === 0
        ? html`<p class="empty">No tokens.</p>`
        : html`<ul class="rows">
            ${tokens.map(
              (token) =>
                html`<li>
                  <span class="grow">${token.note ?? 'without a note'}</span>
                  <code>…${token.lastEight}</code>
                  <span>${token.scopes.join(', ') || 'no scopes'}</span>
                  ${usedView(token.lastUsedAt, now)} ${expiryView(token.expiresAt, now)}
                  ${revokeForm(form, 'revoke-token', token.id, `the token ${token.lastEight}`)}
                </li>`,
            )}
          </ul>`
    }
    <h3>SSH keys</h3>
    ${
      keys.length === 0
        ? html`<p class="empty">No keys.</p>`
        : html`<ul class="rows">
            ${keys.map(
              (key) =>
                html`<li>
                  <span class="grow">${key.title}</span> <code>SHA256:${key.fingerprint}</code>
                  ${usedView(key.lastUsedAt, now)}
                  ${revokeForm(form, 'revoke-key', key.id, `the key ${key.title}`)}
                </li>`,
            )}
          </ul>`
    }`;
  return formPage(
    `${user.login} · Administration`,
    html`${administrationHead(user.login, context)} ${problemView(form.problemLeft())} ${shown}`,
    refused?.status,
  );
}

function revokeForm(form: PageForm, act: string, id: number, about: string): Html {
  return asking(
    'Revoke',
    form.row(act, html`${hidden('id', String(id))} ${button('Revoke', 'danger', about)}`),
  );
}

/** Another administrator may have demoted the caller since the request began. */
async function refuseDemoted(sql: Sql, callerId: number): Promise<void> {
  const caller = (await accountsById(sql, [callerId])).get(callerId);
  if (caller?.siteAdmin !== true) notFound();
}

/** What the audit log calls the acts of this page. */
const actions: Readonly<Record<string, string>> = {
  promote: 'user.promote',
  demote: 'user.demote',
  suspend: 'user.suspend',
  unsuspend: 'user.unsuspend',
  'set-password': 'user.change_password',
  'end-sessions': 'user.end_sessions',
  'revoke-token': 'personal_access_token.destroy',
  'revoke-key': 'public_key.delete',
};

/** Changes a user: the operations are of this page alone. */
export async function submitUserAct(context: FormContext & SignedIn): Promise<WebResponse> {
  const { ports, form, path, session, now, from } = context;
  const user = await ports.database.read((sql) => findAccount(sql, path['user'] ?? ''));
  if (user?.kind !== 'user') return notFound();
  const id = (): number => {
    const text = form.get('id') ?? '';
    return /^\d{1,15}$/.test(text) ? Number(text) : notFound();
  };
  const acts: Readonly<Record<string, () => Promise<unknown>>> = {
    promote: () =>
      writeAccounts(ports.database, async (sql) => {
        await refuseDemoted(sql, session.account.id);
        if (await isSuspended(sql, user.id)) {
          refuse({ kind: 'unprocessable', message: 'The user is suspended. Unsuspend it first.' });
        }
        await setSiteAdmin(sql, user.id, true, now);
      }),
    demote: () =>
      writeAccounts(ports.database, async (sql) => {
        await refuseDemoted(sql, session.account.id);
        const isSelf = user.id === session.account.id;
        if (isSelf || (await otherSiteAdmins(sql, user.id)) === 0) {
          refuse({ kind: 'unprocessable', message: 'Another site administrator must do this.' });
        }
        await setSiteAdmin(sql, user.id, false, now);
      }),
    suspend: () => suspendUser(ports, user.login),
    unsuspend: () => unsuspendUser(ports, user.login),
    'set-password': () => setPassword(ports, user.login, form.get('password') ?? ''),
    'end-sessions': () => ports.database.write((sql) => endSessions(sql, user.id, { allBut: '' })),
    async 'revoke-token'() {
      const tokenId = id();
      const ended = await ports.database.write((sql) => deletePersonalToken(sql, user.id, tokenId));
      if (!ended) notFound();
    },
    async 'revoke-key'() {
      const keyId = id();
      const owner = { accountId: user.id };
      const ended = await ports.database.write((sql) => deleteSshKey(sql, owner, keyId));
      if (!ended) notFound();
    },
  };
  return answerAct(context, showUser, async (name) => {
    const act = (Object.hasOwn(acts, name) ? acts[name] : undefined) ?? unknownAct();
    const reason = (form.get('reason') ?? '').slice(0, reasonCharactersMax);
    const about = {
      user: user.login,
      ...(form.has('id') && { id: form.get('id') ?? '' }),
      ...(reason !== '' && { reason }),
    };
    const { login: actor } = session.account;
    await recordedAct(
      ports,
      { action: actions[name] ?? name, actor, from, parameters: about },
      act,
    );
    return `${usersPath}/${user.login}`;
  });
}
