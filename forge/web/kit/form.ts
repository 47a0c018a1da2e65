import { html, type Html } from './html.ts';

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
