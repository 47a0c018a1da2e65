import type { FastifyRequest } from 'fastify';

import { formToken } from './form-token.ts';
import { html, type Html } from './html.ts';

/** The field with the CSRF token of every form (form-token.ts). */
export const tokenField = 'form_token';

/** A form that is refused before its handler runs; error-page.ts renders it. */
export class FormError extends Error {
  override readonly name = 'FormError';
  readonly status: 400 | 403;

  constructor(status: 400 | 403, message: string, options?: ErrorOptions) {
    super(message, options);
    this.status = status;
  }
}

export function hiddenToken(token: string): Html {
  return hidden(tokenField, token);
}

/** The CSRF token of a form whose sender is known by this cookie. */
export function tokenFor(secret: string): Html {
  return hiddenToken(formToken(secret));
}

export function hidden(name: string, value: string): Html {
  return html`<input type="hidden" name="${name}" value="${value}" />`;
}

/** The error above a form, which screen readers announce at once. */
export function problemView(problem: string | undefined): Html {
  return problem === undefined ? html`` : html`<p class="problem" role="alert">${problem}</p>`;
}

export function checkbox(name: string, value: string, checked: boolean, label = value): Html {
  return html`<label
    ><input type="checkbox" name="${name}" value="${value}" ${checked ? html`checked` : ''} />
    ${label}</label
  >`;
}

/** Asks before something ends: the button is below what opens. */
export function asking(summary: string, form: Html): Html {
  return html`<details class="ask">
    <summary>${summary}</summary>
    ${form}
  </details>`;
}

/** Form of a page. Texts of people have up to 65,536 characters, each of them up to 12 bytes in this encoding. */
export const formBytesMax: number = 1024 * 1024;

/** The fields of a form that a page of this server sent, or an error. */
export function readForm(request: FastifyRequest, baseUrl: string): URLSearchParams {
  requireFromHere(request, baseUrl);
  return readForeignForm(request);
}

/** The fields of a form from a page of any server: its handler must show what it asks for, and change nothing. */
export function readForeignForm(request: FastifyRequest): URLSearchParams {
  const type = request.headers['content-type']?.split(';')[0]?.trim().toLowerCase();
  const { body } = request;
  if (!Buffer.isBuffer(body)) return new URLSearchParams();
  if (type !== 'application/x-www-form-urlencoded') {
    throw new FormError(400, 'Unsupported form encoding.');
  }
  return new URLSearchParams(body.toString());
}

export function refuseForeignForm(): never {
  throw new FormError(
    403,
    'The form token is missing or expired, so nothing was changed. Reload the page and send the form again.',
  );
}

/** Refuses a form that no page of this server has sent at the URL of this server. */
export function requireFromHere(
  { headers }: Pick<FastifyRequest, 'headers'>,
  baseUrl: string,
): void {
  if (!isFromHere(headers, baseUrl)) refuseForeignForm();
  const at = URL.parse(headers.origin ?? '');
  if (!at || at.host === new URL(baseUrl).host) return;
  // Most forms lead on to a URL of the base URL, where `form-action 'self'` (CSP 3, 6.4.1) does not let the browser go from there.
  throw new FormError(
    403,
    `The address of this server is ${baseUrl}, and this page was opened at ${at.origin}, so nothing was changed. Open ${baseUrl} and send the form there.`,
  );
}

/**
 * Checks the request's origin as reported by the browser, in addition to the form token. A request without this information
 * passes. Behind a proxy, the `Host` header may differ from the host in the address bar, which is that of the base URL.
 */
function isFromHere(headers: FastifyRequest['headers'], baseUrl: string): boolean {
  const site = headers['sec-fetch-site'];
  if (site !== undefined) return site === 'same-origin' || site === 'none';
  const { origin } = headers;
  if (origin === undefined) return true;
  const host = URL.parse(origin)?.host ?? '';
  return origin === new URL(baseUrl).origin || (host !== '' && host === headers.host);
}
