import { textField } from '#web/fields.ts';
import { html } from '#web/html.ts';
import { formPage, type WebResponse } from '#web/web-response.ts';
import { hidden, hiddenToken, problemView } from '#web/form.ts';

export interface SignInForm {
  readonly formToken: string;
  readonly returnTo: string;
  /** Origins that the way back may lead to. */
  readonly targets: readonly string[];
  readonly problem?: string | undefined;
}

/** The page that asks for login and password. */
export function passwordForm(
  form: SignInForm & { readonly name: string; readonly status?: number },
): WebResponse & { kind: 'page' } {
  const body = html`<h1>Sign in</h1>
    ${problemView(form.problem)}
    <form class="fields" method="post" action="/session">
      ${hiddenToken(form.formToken)}${hidden('return_to', form.returnTo)}
      ${textField({
        label: 'Login or e-mail address',
        name: 'login',
        value: form.name,
        autocomplete: 'username',
        required: true,
      })}
      ${textField({
        label: 'Password',
        name: 'password',
        type: 'password',
        autocomplete: 'current-password',
        required: true,
      })}
      <button type="submit">Sign in</button>
    </form>
    <p>Accounts are made by who runs this server.</p>`;
  return { ...formPage('Sign in', body, form.status ?? 200), forms: form.targets };
}

/** The page that asks for the code of a second factor. */
export function codeForm(form: SignInForm): WebResponse {
  const body = html`<h1>Second factor</h1>
    ${problemView(form.problem)}
    <form class="fields" method="post" action="/sessions/two-factor">
      ${hiddenToken(form.formToken)}${hidden('return_to', form.returnTo)}
      ${textField({
        label: 'Code from your authenticator app, or a recovery code',
        name: 'code',
        autocomplete: 'one-time-code',
        required: true,
      })}
      <button type="submit">Sign in</button>
    </form>`;
  const status = form.problem === undefined ? 200 : 401;
  return { ...formPage('Second factor', body, status), forms: form.targets };
}
