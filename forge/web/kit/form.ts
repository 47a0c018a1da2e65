import { type Refusal, refuse } from '../../errors/api-error.ts';
import { html, type Html } from './html.ts';
import type { WebRequest } from './web-context.ts';

/** The field by which every form proves that a page of ours sent it (auth/sessions/form-token.ts). */
export const tokenField = 'form_token';

export function hiddenToken(token: string): Html {
  return hidden(tokenField, token);
}

export function hidden(name: string, value: string): Html {
  return html`<input type="hidden" name="${name}" value="${value}" />`;
}

/** What went wrong with the form, above it; read out at once. */
export function problemView(problem: string | undefined): Html {
  return problem === undefined ? html`` : html`<p class="problem" role="alert">${problem}</p>`;
}

/** Where to sign in, and come back from to a page of this server. */
export function loginAddress(returnTo: string): string {
  const pointless =
    returnTo === '/' || /^\/(?:login(?!\/oauth)|sessions?|logout)(?:[/?]|$)/.test(returnTo);
  return pointless ? '/login' : `/login?return_to=${encodeURIComponent(returnTo)}`;
}

/** Forms of people are short. */
export const formBytesMax: number = 64 * 1024;

/** The fields of a form that a page of this server sent, or a refusal. */
export function readForm(request: WebRequest, baseUrl: string): URLSearchParams {
  if (!isFromHere(request.headers, baseUrl)) refuse(foreignForm);
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
 * What browsers say of where a request comes from; a second line behind the form's token. A browser that says nothing
 * is let through to that. Behind a proxy the host may be another than the one in the address bar, which is the base URL's.
 */
function isFromHere(headers: WebRequest['headers'], baseUrl: string): boolean {
  const site = headers['sec-fetch-site'];
  if (site !== undefined) return site === 'same-origin' || site === 'none';
  const { origin } = headers;
  if (origin === undefined) return true;
  const host = URL.parse(origin)?.host ?? '';
  return origin === new URL(baseUrl).origin || (host !== '' && host === headers.host);
}
