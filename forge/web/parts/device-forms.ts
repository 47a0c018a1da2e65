import { textField } from '#web/fields.ts';
import { hidden, hiddenToken, problemView } from '#web/form.ts';
import { html, type Html } from '#web/html.ts';
import { formPage, type WebResponse } from '#web/web-response.ts';

import type { Scope } from '../../model/scopes.ts';
import { devicePath } from '../kit/page-paths.ts';
import { scopeItems } from './consent.ts';

/** The page that asks for the code of a program. */
export function deviceCodeForm(form: {
  readonly formToken: string;
  readonly problem?: string;
  readonly status?: 429;
}): WebResponse {
  const body = html`<h1>Sign in a program</h1>
    ${problemView(form.problem)}
    <p>Enter the code that the program shows. Never enter a code that someone else gave you.</p>
    <form class="fields" method="post" action="${devicePath}">
      ${hiddenToken(form.formToken)}
      ${textField({ label: 'Code', name: 'user_code', autocomplete: 'off', required: true })}
      <button type="submit">Continue</button>
    </form>`;
  return formPage(
    'Sign in a program',
    body,
    form.status ?? (form.problem === undefined ? 200 : 422),
  );
}

/** The page on which a user lets the program in, or refuses. */
export function deviceConsentPage(form: {
  readonly name: string;
  readonly scopes: readonly Scope[];
  readonly login: string;
  readonly userCode: string;
  readonly formToken: string;
}): WebResponse {
  const body = html`<h1>Authorize ${form.name}</h1>
    <p>
      The program that shows <code>${form.userCode}</code> says that it is
      <strong>${form.name}</strong> and wants to access your account, ${form.login}. It will be able
      to:
    </p>
    ${scopeItems(form.scopes)}
    <form class="fields" method="post" action="${devicePath}/authorize">
      ${hiddenToken(form.formToken)}${hidden('user_code', form.userCode)}
      <button type="submit" name="authorize" value="1">Authorize ${form.name}</button>
      <button type="submit" name="authorize" value="0">Cancel</button>
    </form>
    <p>You can revoke access under Applications.</p>`;
  return formPage(`Authorize ${form.name}`, body);
}

export function deviceEndPage(answer: 'allowed' | 'refused'): WebResponse {
  const text: Html =
    answer === 'allowed'
      ? html`<p>The program is signed in. You can close this page.</p>`
      : html`<p>The program was not signed in.</p>`;
  return {
    kind: 'page',
    title: 'Sign in a program',
    body: html`<h1>Sign in a program</h1>
      ${text}`,
  };
}
