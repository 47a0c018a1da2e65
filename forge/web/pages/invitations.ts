import { accountsById } from '../../accounts/account-store.ts';
import { readPage } from '../../http/pagination.ts';
import { listForInvitee } from '../../invitations/invitation-store.ts';
import { type Invitation, isExpired } from '../../model/invitation.ts';
import { fullName } from '../../model/repository.ts';
import { repositoriesById } from '../../repositories/repository-store.ts';
import { tokenFor } from '#web/form.ts';
import { html, type Html, pageLinks, timeElement } from '#web/html.ts';
import { formPage, seeOther, type WebResponse } from '#web/web-response.ts';
import { invitationsPath } from '../kit/page-paths.ts';
import type { Perform } from '../kit/perform.ts';
import type { FormContext, WebContext } from '../kit/web-context.ts';
import type { SignedIn } from '../kit/with-session.ts';

/** Invitations on a page of theirs. */
const invitationsMax = 100;

/** The invitations of the signed-in user to repositories. */
export async function showInvitations(context: WebContext & SignedIn): Promise<WebResponse> {
  const { ports, session, urls, now, query } = context;
  const bounds = readPage(query, invitationsMax, true);
  const { invitations, total, repositories, accounts } = await ports.database.read(async (sql) => {
    const found = await listForInvitee(sql, session.account.id, 'all', bounds);
    const ids = found.invitations.map(({ repositoryId }) => repositoryId);
    const inviters = found.invitations.map(({ inviterId }) => inviterId);
    return {
      ...found,
      repositories: await repositoriesById(sql, ids),
      accounts: await accountsById(sql, inviters),
    };
  });
  const rows = invitations.map((invitation): Html => {
    const repository = repositories.get(invitation.repositoryId);
    const name = repository ? fullName(repository) : '';
    return html`<li>
      <span class="grow">
        <strong>${name}</strong> with the permission ${invitation.permission}, from
        ${accounts.get(invitation.inviterId)?.login ?? 'ghost'}
      </span>
      ${timeElement(invitation.createdAt, now)} ${answers(invitation, name)}
    </li>`;
  });
  return formPage(
    'Invitations',
    html`<h1>Invitations</h1>
      ${
        rows.length === 0
          ? html`<p class="empty">
              You have no pending invitations. See
              <a href="${urls.web('/')}">all repositories</a>.
            </p>`
          : html`<ul class="rows">
              ${rows}
            </ul>`
      }
      ${pageLinks(invitationsPath, bounds, bounds.offset + bounds.size < total)}`,
  );

  function answers(invitation: Invitation, name: string): Html {
    const form = (act: string, label: string): Html =>
      html`<form class="line" method="post" action="${invitationsPath}/${invitation.id}/${act}">
        ${tokenFor(session.secret)}
        <button type="submit" aria-label="${label} the invitation to ${name}">${label}</button>
      </form>`;
    const expired = isExpired(invitation, now);
    return html`${expired ? html`<span class="mark">expired</span>` : form('accept', 'Accept')}
    ${form('decline', 'Decline')}`;
  }
}

/** The page of a repository's invitations: the same for every name, because an invitee may not know yet whether it exists. */
export async function leadToInvitations(): Promise<WebResponse> {
  return { kind: 'redirect', location: invitationsPath };
}

export function answerInvitation(
  perform: Perform,
  operation: 'repos/accept-invitation' | 'repos/decline-invitation',
): (context: FormContext & SignedIn) => Promise<WebResponse> {
  return async (context) => {
    await perform(context, operation, { invitation_id: context.path['id'] ?? '' });
    return seeOther(invitationsPath);
  };
}
