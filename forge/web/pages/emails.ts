import { button, textField } from '#web/fields.ts';
import { asking, hidden } from '#web/form.ts';
import { html, type Html } from '#web/html.ts';
import { createPageForm, type PageForm, type RefusedForm } from '#web/page-form.ts';
import { formPage, type WebResponse } from '#web/web-response.ts';

import { makeEmailPrimary } from '../../accounts/change-emails.ts';
import { type EmailAddress, listEmails } from '../../accounts/email-store.ts';
import { noreplyAddress } from '../../model/account.ts';
import type { Perform } from '../kit/perform.ts';
import type { FormContext, WebContext } from '../kit/web-context.ts';
import type { SignedIn } from '../kit/with-session.ts';
import { answerAct, unknownAct } from './discussion-acts.ts';
import { accountNav } from '../parts/account-nav.ts';

export const emailsPath = '/settings/emails';

/** The addresses of the viewer. */
export async function showEmails(
  { ports, session }: WebContext & SignedIn,
  refused?: RefusedForm,
): Promise<WebResponse> {
  const { account, secret } = session;
  const emails = await ports.database.read((sql) => listEmails(sql, account.id));
  const form = createPageForm(emailsPath, secret, refused);
  const [first] = emails;
  return formPage(
    'E-mail addresses',
    html`<h1>E-mail addresses</h1>
      ${accountNav(emailsPath)}
      <p>
        Commits with any of these addresses are yours, and you can sign in with each. Hob sends no
        mail, and so checks none.
      </p>
      ${
        emails.length === 0
          ? html`<p class="empty">No address. Add the first one below.</p>`
          : html`<ul class="rows">
              ${emails.map((email) => emailRow(email, form))}
            </ul>`
      }
      ${first && visibilityForm(first, noreplyAddress(account), form)}
      <h2>New address</h2>
      ${form.view(
        'add',
        html`${textField({
          label: 'E-mail address',
          name: 'email',
          type: 'email',
          value: form.value('email'),
          maxLength: 254,
          required: true,
        })}
        ${button('Add address', 'primary')}`,
      )}`,
    refused?.status,
  );
}

function emailRow({ email, primary }: EmailAddress, form: PageForm): Html {
  const field = hidden('email', email);
  if (primary) {
    return html`<li><span class="grow">${email}</span> <span class="mark">primary</span></li>`;
  }
  return html`<li>
    <span class="grow">${email}</span>
    ${form.row('primary', html`${field} ${button('Make primary', '', email)}`)}
    ${asking(
      'Delete',
      form.row(
        'delete',
        html`${field}
          <p>Commits with it are no longer yours.</p>
          ${button('Delete', 'danger', `the address ${email}`)}`,
      ),
    )}
  </li>`;
}

function visibilityForm(
  { email, hidden: isHidden }: EmailAddress,
  noreply: string,
  form: PageForm,
): Html {
  return html`<h2>Visibility</h2>
    ${form.row(
      'visibility',
      isHidden
        ? html`<p>
              Your profile shows no address, and commits that you make here have
              <code>${noreply}</code>.
            </p>
            ${hidden('visibility', 'public')} ${button(`Show ${email}`)}`
        : html`<p>Your profile and the commits that you make here show <code>${email}</code>.</p>
            ${hidden('visibility', 'private')} ${button('Hide it')}`,
      'fields',
    )}`;
}

/** Adds, deletes, shows and hides addresses. */
export function submitEmailAct(
  perform: Perform,
): (context: FormContext & SignedIn) => Promise<WebResponse> {
  return async (context) => {
    const { form, ports, session } = context;
    const email = form.get('email') ?? '';
    const acts: Readonly<Record<string, () => Promise<unknown>>> = {
      add: () => perform(context, 'users/add-email-for-authenticated', {}, { emails: [email] }),
      delete: () =>
        perform(context, 'users/delete-email-for-authenticated', {}, { emails: [email] }),
      primary: () => makeEmailPrimary(ports, session.account.id, email),
      visibility: () =>
        perform(
          context,
          'users/set-primary-email-visibility-for-authenticated',
          {},
          { visibility: form.get('visibility') },
        ),
    };
    return answerAct(context, showEmails, async (name) => {
      const act = (Object.hasOwn(acts, name) ? acts[name] : undefined) ?? unknownAct();
      await act();
      return emailsPath;
    });
  };
}
