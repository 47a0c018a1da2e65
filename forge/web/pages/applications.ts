import { listGrants } from '../../auth/applications/application-store.ts';
import { revokeAccess } from '../../auth/applications/grant-access.ts';
import { notFound } from '../../errors/api-error.ts';
import { formToken } from '#web/form-token.ts';
import { html, timeElement } from '#web/html.ts';
import { asking, hiddenToken } from '#web/form.ts';
import { formPage, seeOther, type WebResponse } from '#web/web-response.ts';
import type { FormContext, WebContext } from '../kit/web-context.ts';
import type { SignedIn } from '../kit/with-session.ts';
import { accountNav } from '../parts/account-nav.ts';

export const applicationsPath = '/settings/applications';

/** The applications that the user has authorized. */
export async function showApplications({
  ports,
  session,
  now,
}: WebContext & SignedIn): Promise<WebResponse> {
  const granted = await ports.database.read((sql) => listGrants(sql, session.account.id));
  const token = hiddenToken(formToken(session.secret));
  return formPage(
    'Authorized applications',
    html`<h1>Authorized applications</h1>
      ${accountNav(applicationsPath)}
      ${
        granted.length === 0
          ? html`<p class="empty">
              No application may act for you. When one asks, it is listed here, and you can revoke
              its access.
            </p>`
          : html`<ul class="rows">
              ${granted.map(
                ({ application, grant }) =>
                  html`<li>
                    <span class="grow">${application.name}</span>
                    <span
                      >${grant.scopes.length === 0 ? 'no scopes' : grant.scopes.join(', ')}</span
                    >
                    since ${timeElement(grant.createdAt, now)}
                    ${asking(
                      'Revoke',
                      html`<form
                        method="post"
                        action="${applicationsPath}/${application.id}/revoke"
                      >
                        ${token}
                        <p>All of its tokens end at once.</p>
                        <button
                          class="danger"
                          type="submit"
                          aria-label="Revoke the access of ${application.name}"
                        >
                          Revoke its access
                        </button>
                      </form>`,
                    )}
                  </li>`,
              )}
            </ul>`
      }`,
  );
}

/** Revokes the grant of an application and all of its tokens. */
export async function revokeApplication({
  ports,
  session,
  path,
}: FormContext & SignedIn): Promise<WebResponse> {
  const id = path['id'] ?? '';
  if (!/^\d{1,15}$/.test(id)) return notFound();
  const revoked = await ports.database.write((sql) =>
    revokeAccess(sql, session.account.id, Number(id)),
  );
  return revoked ? seeOther(applicationsPath) : notFound();
}
