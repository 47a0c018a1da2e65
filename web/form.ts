import { type Refusal, refuse } from '#forge/errors/api-error.ts';
import { html, type Html } from './html.ts';
import type { WebRequest } from '#forge/web/kit/web-context.ts';

/** The field with the CSRF token of every form (auth/sessions/session.ts). */
export const tokenField = 'form_token';

export function hiddenToken(token: string): Html {
  return hidden(tokenField, token);
}

export function hidden(name: string, value: string): Html {
  return html`<input type="hidden" name="${name}" value="${value}" />`;
}

/** The error above a form, which screen readers announce at once. */
export function problemView(problem: string | undefined): Html {
  return problem === undefined ? html`` : html`<p class="problem" role="alert">${problem}</p>`;
}

/** The URL of the sign-in page, which returns to a page of this server. */
export function loginAddress(returnTo: string): string {
  const pointless =
    returnTo === '/' || /^\/(?:login(?!\/oauth)|sessions?|logout)(?:[/?]|$)/.test(returnTo);
  return pointless ? '/login' : `/login?return_to=${encodeURIComponent(returnTo)}`;
}

/** Forms filled in by people are short. */
export const formBytesMax: number = 64 * 1024;

/** The fields of a form that a page of this server sent, or a refusal. */
export function readForm(request: WebRequest, baseUrl: string): URLSearchParams {
  if (!isFromHere(request.headers, baseUrl)) refuse(foreignForm);
  return readForeignForm(request);
}

/** The fields of a form from a page of any server: its handler must show what it asks for, and change nothing. */
export function readForeignForm(request: WebRequest): URLSearchParams {
  const type = request.headers['content-type']?.split(';')[0]?.trim().toLowerCase();
  const { body } = request;
  if (!Buffer.isBuffer(body)) return new URLSearchParams();
  if (type !== 'application/x-www-form-urlencoded') {
    refuse({ kind: 'malformed-request', message: 'Unsupported form encoding.' });
  }
  return new URLSearchParams(body.toString());
}

export const foreignForm: Refusal = {
  kind: 'forbidden',
  message:
    'The form token is missing or expired, so nothing was changed. Reload the page and send the form again.',
};

/**
 * Checks the request's origin as reported by the browser, in addition to the form token. A request without this information
 * passes. Behind a proxy, the `Host` header may differ from the host in the address bar, which is that of the base URL.
 */
function isFromHere(headers: WebRequest['headers'], baseUrl: string): boolean {
  const site = headers['sec-fetch-site'];
  if (site !== undefined) return site === 'same-origin' || site === 'none';
  const { origin } = headers;
  if (origin === undefined) return true;
  const host = URL.parse(origin)?.host ?? '';
  return origin === new URL(baseUrl).origin || (host !== '' && host === headers.host);
}
