import type { Scope } from '../../model/scopes.ts';
import type { AuthorizationRequest } from '../../auth/applications/authorize-input.ts';
import { html, type Html } from '#web/html.ts';
import { formPage, type WebResponse } from '#web/web-response.ts';
import { hidden, hiddenToken } from '#web/form.ts';
import { scopeDescriptions } from './token-views.ts';

/** Parameters that the form sends back; they are validated again like those of the link. */
const parameterNames = [
  'client_id',
  'redirect_uri',
  'scope',
  'state',
  'code_challenge',
  'code_challenge_method',
] as const;

/** The page on which a user authorizes an application, or refuses. */
export function consentPage(form: {
  readonly authorization: AuthorizationRequest;
  readonly parameters: URLSearchParams;
  readonly scopes: readonly Scope[];
  readonly login: string;
  readonly formToken: string;
}): WebResponse {
  const { authorization, parameters, scopes } = form;
  const { name } = authorization.application;
  const { origin } = new URL(authorization.redirectUri);
  const body = html`<h1>Authorize ${name}</h1>
    <p>
      <strong>${name}</strong> at <code>${origin}</code> wants to access your account,
      ${form.login}. It will be able to:
    </p>
    ${scopeItems(scopes)}
    <form class="fields" method="post" action="/login/oauth/authorize">
      ${hiddenToken(form.formToken)}${parameterNames.map((parameter) => {
        const value = parameters.get(parameter);
        return value === null ? '' : hidden(parameter, value);
      })}
      <button type="submit" name="authorize" value="1">Authorize ${name}</button>
      <button type="submit" name="authorize" value="0">Cancel</button>
    </form>
    <p>You can revoke access under Applications.</p>`;
  return { ...formPage(`Authorize ${name}`, body), forms: [origin] };
}

export function scopeItems(scopes: readonly Scope[]): Html {
  const items =
    scopes.length === 0
      ? html`<li>read public data and your identity</li>`
      : scopes.map((scope) => html`<li>${scopeDescriptions[scope]} (<code>${scope}</code>)</li>`);
  return html`<ul>
    ${items}
  </ul>`;
}
