import { findAccount } from '../../accounts/account-store.ts';
import { notFound } from '../../errors/api-error.ts';
import { fullName } from '../../model/repository.ts';
import type { SshKey } from '../../model/ssh-key.ts';
import { listSshKeys } from '../../ssh-keys/ssh-key-store.ts';
import { textArea, textField } from '#web/fields.ts';
import { asking, checkbox, hidden } from '#web/form.ts';
import { html, type Html, timeElement } from '#web/html.ts';
import { createPageForm, type PageForm, type RefusedForm } from '#web/page-form.ts';
import { formPage, type WebResponse } from '#web/web-response.ts';
import type { Perform } from '../kit/perform.ts';
import type { FormContext, RepositoryContext, WebContext } from '../kit/web-context.ts';
import type { SignedIn } from '../kit/with-session.ts';
import { repositoryHead } from '../parts/repository-views.ts';
import { pathIn, requireAdmin, settingsNav } from '../parts/settings-nav.ts';
import { type ActContext, answerAct, unknownAct } from './discussion-acts.ts';
import { accountNav } from '../parts/account-nav.ts';

export const sshKeysPath = '/settings/keys';

/** An owner has fewer. */
const allKeys = { offset: 0, size: 1000 };

/** The user's keys for git over SSH, and a form for a new one. */
export async function showSshKeys(
  { ports, session, now }: WebContext & SignedIn,
  refused?: RefusedForm,
): Promise<WebResponse> {
  const owner = { accountId: session.account.id };
  const { keys } = await ports.database.read((sql) => listSshKeys(sql, owner, allKeys));
  const form = createPageForm(sshKeysPath, session.secret, refused);
  return formPage(
    'SSH keys',
    html`<h1>SSH keys</h1>
      ${accountNav(sshKeysPath)}
      <p>Git over SSH signs you in with these keys.${offNote(ports.settings.sshPort)}</p>
      ${keyList(keys, form, now, 'Connections with it are refused from now on.')}
      <h2>New key</h2>
      ${form.view('create', html`${keyFields(form)}<button class="primary" type="submit">Add key</button>`)}`,
    refused?.status,
  );
}

/** Adds and deletes keys of the user. */
export function submitSshKeyAct(
  perform: Perform,
): (context: FormContext & SignedIn) => Promise<WebResponse> {
  return async (context) => {
    const { form } = context;
    return answerAct(context, showSshKeys, async (name) => {
      if (name === 'create') {
        const operation = 'users/create-public-ssh-key-for-authenticated-user';
        await perform(context, operation, {}, keyOf(form));
      } else if (name === 'delete') {
        const operation = 'users/delete-public-ssh-key-for-authenticated-user';
        await perform(context, operation, { key_id: form.get('key_id') ?? '' });
      } else unknownAct();
      return sshKeysPath;
    });
  };
}

/** The deploy keys of a repository, and a form for a new one. */
export async function showDeployKeys(
  context: RepositoryContext & SignedIn,
  refused?: RefusedForm,
): Promise<WebResponse> {
  requireAdmin(context);
  const { ports, repository, session, now } = context;
  const owner = { repositoryId: repository.id };
  const { keys } = await ports.database.read((sql) => listSshKeys(sql, owner, allKeys));
  const form = createPageForm(pathIn(context, 'settings/keys'), session.secret, refused);
  return formPage(
    `Deploy keys · ${fullName(repository)}`,
    html`${repositoryHead(context)} ${settingsNav(context)}
      <h2>Deploy keys</h2>
      <p>
        Programs use git over SSH with these keys, in this repository
        only.${offNote(ports.settings.sshPort)}
      </p>
      ${keyList(keys, form, now, 'Programs that use it are refused from now on.')}
      <h2>New deploy key</h2>
      ${form.view(
        'create',
        html`${keyFields(form)}
          ${checkbox('write', '1', form.checked('write', '1', false), 'Allow pushes')}<button
            class="primary"
            type="submit"
          >
            Add deploy key
          </button>`,
      )}`,
    refused?.status,
  );
}

/** Adds and deletes deploy keys. */
export function submitDeployKeyAct(
  perform: Perform,
): (context: ActContext) => Promise<WebResponse> {
  return async (context) => {
    const { form, repository } = context;
    const at = { owner: repository.owner.login, repo: repository.name };
    return answerAct(context, showDeployKeys, async (name) => {
      if (name === 'create') {
        const body = { ...keyOf(form), read_only: form.get('write') !== '1' };
        await perform(context, 'repos/create-deploy-key', at, body);
      } else if (name === 'delete') {
        const parameters = { ...at, key_id: form.get('key_id') ?? '' };
        await perform(context, 'repos/delete-deploy-key', parameters);
      } else unknownAct();
      return pathIn(context, 'settings/keys');
    });
  };
}

/** `/:username.keys`: the keys as in authorized_keys, for programs. */
export async function showKeysAsText({ ports, path }: WebContext): Promise<WebResponse> {
  const { keys } = await ports.database.read(async (sql) => {
    const account = await findAccount(sql, path['owner'] ?? '');
    if (account?.kind !== 'user') return notFound();
    return listSshKeys(sql, { accountId: account.id }, allKeys);
  });
  const body = keys.map(({ publicKey }) => `${publicKey}\n`).join('');
  return { kind: 'bytes', contentType: 'text/plain; charset=utf-8', body };
}

function offNote(sshPort: number | undefined): string {
  return sshPort === undefined ? ' It is off on this server.' : '';
}

function keyFields(form: PageForm): Html {
  return html`${textField({
    label: 'Title',
    name: 'title',
    value: form.value('title', ''),
    maxLength: 255,
  })}
  ${textArea({
    label: 'Public key, for example the content of ~/.ssh/id_ed25519.pub',
    name: 'key',
    value: form.value('key', ''),
    rows: 4,
    required: true,
  })}`;
}

function keyList(keys: readonly SshKey[], form: PageForm, now: number, consequence: string): Html {
  if (keys.length === 0) return html`<p class="empty">No keys. Add the first one below.</p>`;
  return html`<ul class="rows">
    ${keys.map(
      (key) =>
        html`<li>
          <span class="grow">${key.title}</span>
          <code>SHA256:${key.fingerprint}</code>
          ${key.readOnly ? html`<span class="mark">read-only</span>` : ''}
          ${key.lastUsedAt === null ? html`<span class="soft">never used</span>` : html`<span>used ${timeElement(key.lastUsedAt, now)}</span>`}
          ${asking(
            'Delete',
            form.row(
              'delete',
              html`${hidden('key_id', String(key.id))}
                <p>${consequence}</p>
                <button class="danger" type="submit" aria-label="Delete the key ${key.title}">
                  Delete it for good
                </button>`,
            ),
          )}
        </li>`,
    )}
  </ul>`;
}

function keyOf(form: URLSearchParams): { readonly title: string; readonly key: string } {
  return { title: form.get('title') ?? '', key: form.get('key') ?? '' };
}
