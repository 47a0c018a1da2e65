import { html } from '#web/html.ts';
import { page, type WebResponse } from '#web/web-response.ts';
import type { WebContext } from '../kit/web-context.ts';

/** The same page for every name, because an invitee may not know yet whether the repository exists. */
export async function showInvitations({ urls }: WebContext): Promise<WebResponse> {
  const address = urls.api('/user/repository_invitations');
  return page(
    'Invitations',
    html`<h1>Invitations</h1>
      <p>
        Invitations are shown to the user they are for, who has to be signed in at the interface:
        use a client of it, or these commands, with one of your
        <a href="/settings/tokens">tokens</a>.
      </p>
      <p>List them:</p>
      <pre tabindex="0">curl -H 'Authorization: token TOKEN' ${address}</pre>
      <p>Accept or decline one by its id:</p>
      <pre tabindex="0">
curl -H 'Authorization: token TOKEN' -X PATCH ${address}/ID
curl -H 'Authorization: token TOKEN' -X DELETE ${address}/ID</pre>
      <p>
        More in the
        <a href="${urls.docs('reference/repos')}#accept-a-repository-invitation">reference</a>.
      </p>`,
  );
}
