import { textArea, textField } from '#web/fields.ts';
import { html, type Html } from '#web/html.ts';
import { createPageForm, type PageForm, type RefusedForm } from '#web/page-form.ts';
import { formPage, seeOther, type WebResponse } from '#web/web-response.ts';

import { bioCharactersMax, profileCharactersMax } from '../../accounts/edit-profile.ts';
import type { Account } from '../../model/account.ts';
import { profilePath } from '../kit/page-paths.ts';
import { emailsPath } from './emails.ts';
import type { Perform } from '../kit/perform.ts';
import type { FormContext, WebContext } from '../kit/web-context.ts';
import type { SignedIn } from '../kit/with-session.ts';
import { preferenceFields, savePreferences } from '../parts/preferences.ts';
import { refusedAct, textOf, unknownAct } from './discussion-acts.ts';
import { accountNav } from '../parts/account-nav.ts';

/** The viewer's profile, which everybody sees. */
export async function showProfile(
  context: WebContext & SignedIn,
  refused?: RefusedForm,
): Promise<WebResponse> {
  const { session, urls } = context;
  const { account, secret } = session;
  const form = createPageForm(profilePath, secret, refused);
  return formPage(
    'Profile',
    html`<h1>Profile</h1>
      ${accountNav(profilePath)}
      <p>
        <a href="${urls.userHtml(account.login)}">Your page</a> shows it to everybody who reaches
        this server.
      </p>
      <p>
        ${
          account.email === null
            ? html`It shows no e-mail address.`
            : html`It shows the address <code>${account.email}</code>.`
        }
        <a href="${emailsPath}">E-mail addresses</a> are a page of their own.
      </p>
      ${form.view('update', profileFields(account, form))}
      <h2>Preferences</h2>
      ${form.view('preferences', preferenceFields(context, form))}`,
    refused?.status,
  );
}

/** The fields of users and organizations alike. */
export function profileFields(account: Account, form: PageForm): Html {
  const line = (label: string, name: 'name' | 'company' | 'location' | 'blog'): Html =>
    textField({
      label,
      name,
      value: form.value(name, account[name] ?? ''),
      maxLength: profileCharactersMax,
      prose: name !== 'blog',
    });
  const isUser = account.kind === 'user';
  const about = isUser ? 'bio' : 'description';
  return html`${line('Name', 'name')}
    ${textArea({
      label: isUser ? 'Biography' : 'Description',
      name: about,
      value: form.value(about, account.bio ?? ''),
      maxLength: bioCharactersMax,
      rows: 2,
      prose: true,
    })}
    ${line('Company', 'company')} ${line('Location', 'location')} ${line('Website', 'blog')}
    <button class="primary" type="submit">Save profile</button>`;
}

/** The fields of a profile in a form. */
export function profileIn(form: URLSearchParams): Record<string, string> {
  const fields = ['name', 'bio', 'description', 'company', 'location', 'blog', 'email'];
  return Object.fromEntries(
    fields.filter((name) => form.has(name)).map((name) => [name, textOf(form, name)]),
  );
}

export function submitProfile(
  perform: Perform,
): (context: FormContext & SignedIn) => Promise<WebResponse> {
  return async (context) => {
    const { form, path } = context;
    const name = path['act'] ?? '';
    const show = (refused: RefusedForm): Promise<WebResponse> => showProfile(context, refused);
    return refusedAct({ name, form, show }, async () => {
      if (name === 'preferences') {
        return seeOther(profilePath, await savePreferences(context));
      }
      if (name !== 'update') unknownAct();
      await perform(context, 'users/update-authenticated', {}, profileIn(form));
      return seeOther(profilePath);
    });
  };
}
