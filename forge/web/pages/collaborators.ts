import { accountsById } from '../../accounts/account-store.ts';
import { readPage } from '../../http/pagination.ts';
import { notFound, RefusalError } from '../../errors/api-error.ts';
import { renderRefusal } from '../../errors/error-responses.ts';
import { refusalSentence } from '../../errors/error-message.ts';
import { listForRepository } from '../../invitations/invitation-store.ts';
import { isExpired } from '../../model/invitation.ts';
import { fullName } from '../../model/repository.ts';
import { listCollaborators } from '../../repositories/collaborator-store.ts';
import { authorizeRepository, mayAdminister } from '../../repositories/repository-access.ts';
import { selectField, textField } from '#web/fields.ts';
import { hidden, problemView, tokenFor } from '#web/form.ts';
import { html, type Html, pageLinks, timeElement } from '#web/html.ts';
import { formPage, seeOther, type WebResponse } from '#web/web-response.ts';
import type { Perform } from '../kit/perform.ts';
import type { RepositoryContext } from '../kit/web-context.ts';
import type { SignedIn } from '../kit/with-session.ts';
import { loginOf } from '../parts/conversation.ts';
import { repositoryHead } from '../parts/repository-views.ts';
import { settingsNav } from '../parts/settings-nav.ts';
import type { ActContext } from './discussion-acts.ts';

/** Collaborators and invitations of a repository on a page, of each. */
const peopleMax = 100;
/** As the API calls them, and as people read them elsewhere on the pages. */
const permissions = [
  { value: 'pull', label: 'Read' },
  { value: 'triage', label: 'Triage' },
  { value: 'push', label: 'Write' },
  { value: 'maintain', label: 'Maintain' },
  { value: 'admin', label: 'Admin' },
] as const;

interface Refused {
  readonly problem: string;
  readonly status: number;
  readonly fields: URLSearchParams;
}

/** Who may do what in a repository, and who is invited; for its administrators. */
export async function showCollaborators(
  context: RepositoryContext & SignedIn,
  refused?: Refused,
): Promise<WebResponse> {
  const { ports, repository, caller, session, urls, now, query } = context;
  const bounds = readPage(query, peopleMax, true);
  const { collaborators, invitations, total, accounts } = await ports.database.read(async (sql) => {
    const policy = { ...mayAdminister, evenArchived: true } as const;
    await authorizeRepository(sql, caller, { id: repository.id }, policy);
    const found = await listForRepository(sql, repository.id, bounds);
    const parties = found.invitations.map(({ inviteeId }) => inviteeId);
    const listed = await listCollaborators(sql, repository, 'all', bounds);
    return {
      collaborators: listed.collaborators,
      invitations: found.invitations,
      total: Math.max(listed.total, found.total),
      accounts: await accountsById(sql, parties),
    };
  });
  const pageUrl = `${new URL(urls.repositoryHtml(fullName(repository))).pathname}/collaborators`;
  const button = (act: string, fields: Html, label: string, about: string): Html =>
    html`<form class="line" method="post" action="${pageUrl}/${act}">
      ${tokenFor(session.secret)} ${fields}
      <button type="submit" aria-label="${label} ${about}">${label}</button>
    </form>`;
  return formPage(
    `Collaborators · ${fullName(repository)}`,
    html`${repositoryHead(context)} ${settingsNav(context)}
      <h2>Collaborators</h2>
      <ul class="rows">
        ${collaborators.map(({ account, permission }) => {
          const own = account.id === repository.owner.id;
          const field = hidden('username', account.login);
          return html`<li>
            <a class="grow" href="${urls.userHtml(account.login)}">${account.login}</a>
            <span class="mark">${own ? 'owner' : permission}</span>
            ${own ? '' : button('remove', field, 'Remove', account.login)}
          </li>`;
        })}
      </ul>
      <h2>Invitations</h2>
      ${
        invitations.length === 0
          ? html`<p class="empty">No pending invitations. Invite a collaborator below.</p>`
          : html`<ul class="rows">
              ${invitations.map((invitation) => {
                const login = loginOf(accounts, invitation.inviteeId);
                const field = hidden('invitation', String(invitation.id));
                return html`<li>
                  <span class="grow">${login}</span>
                  <span class="mark">${invitation.permission}</span>
                  ${isExpired(invitation, now) ? html`<span class="mark">expired</span>` : ''}
                  ${timeElement(invitation.createdAt, now)}
                  ${button('cancel', field, 'Cancel', `the invitation of ${login}`)}
                </li>`;
              })}
            </ul>`
      }
      ${pageLinks(pageUrl, bounds, bounds.offset + bounds.size < total)}
      <h2>Invite a collaborator</h2>
      <form class="fields" method="post" action="${pageUrl}/invite">
        ${tokenFor(session.secret)} ${problemView(refused?.problem)}
        ${textField({
          label: 'Login',
          name: 'username',
          value: refused?.fields.get('username') ?? '',
          required: true,
        })}
        ${selectField({
          label: 'Permission',
          name: 'permission',
          value: 'push',
          options: permissions,
        })}
        <button class="primary" type="submit">Invite</button>
      </form>`,
    refused?.status,
  );
}

/** Takes the forms of the page of collaborators. */
export function submitCollaboratorAct(
  perform: Perform,
): (context: ActContext) => Promise<WebResponse> {
  return async (context) => {
    const { form, repository, urls, path } = context;
    const at = { owner: repository.owner.login, repo: repository.name };
    const username = (form.get('username') ?? '').trim();
    try {
      switch (path['act']) {
        case 'invite':
          await perform(
            context,
            'repos/add-collaborator',
            { ...at, username },
            {
              permission: form.get('permission') ?? 'push',
            },
          );
          break;
        case 'remove':
          await perform(context, 'repos/remove-collaborator', { ...at, username });
          break;
        case 'cancel': {
          const id = form.get('invitation') ?? '';
          await perform(context, 'repos/delete-invitation', { ...at, invitation_id: id });
          break;
        }
        case undefined:
        default:
          return notFound();
      }
    } catch (error) {
      if (!(error instanceof RefusalError) || path['act'] !== 'invite') throw error;
      const { status } = renderRefusal(error.refusal);
      const absent = error.refusal.kind === 'not-found';
      const problem = absent ? `There is no user “${username}”.` : refusalSentence(error.refusal);
      return showCollaborators(context, { problem, status: absent ? 422 : status, fields: form });
    }
    return seeOther(`${urls.repositoryHtml(fullName(repository))}/collaborators`);
  };
}
