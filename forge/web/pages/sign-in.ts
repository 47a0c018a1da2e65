import type { PasswordSignIn } from '../../auth/password-sign-in.ts';
import { formToken, isFormToken } from '#web/form-token.ts';
import {
  makeSecret,
  pendingMilliseconds,
  secretBytes,
  sessionMilliseconds,
} from '../../auth/sessions/session.ts';
import { safeReturn } from '../../auth/sessions/return-to.ts';
import { deleteSession } from '../../auth/sessions/session-store.ts';
import { signIn, signInWithCode } from '../../auth/sessions/sign-in.ts';
import { sha256 } from '../../auth/token.ts';
import { clearCookie, readCookie, writeCookie } from '#web/cookies.ts';
import { tokenField, refuseForeignForm } from '#web/form.ts';
import { homePath } from '../kit/page-paths.ts';
import { seeOther, type WebResponse } from '#web/web-response.ts';
import type { FormContext, WebContext } from '../kit/web-context.ts';
import type { SignedIn } from '../kit/with-session.ts';
import { codeForm, passwordForm } from '../parts/sign-in-forms.ts';
import { targetsBehind } from './authorize.ts';

/** Where the code of a second factor is asked for. */
export const codePath = '/sessions/two-factor';

/** The sign-in page; signed-in users are redirected. */
export async function showSignIn(context: WebContext): Promise<WebResponse> {
  const returnTo = safeReturn(context.query.get('return_to'), homePath);
  if (context.session) return { kind: 'redirect', location: returnTo };
  return passwordPage(context, { returnTo, name: context.query.get('login') ?? '' });
}

/** Takes login and password. */
export function submitPassword(
  passwords: PasswordSignIn,
): (context: FormContext) => Promise<WebResponse> {
  return async (context) => {
    const { form, ports, from, baseUrl } = context;
    requireVisit(context);
    const returnTo = safeReturn(form.get('return_to'), homePath);
    const name = (form.get('login') ?? '').trim();
    const input = { name, password: form.get('password') ?? '', address: from };
    const outcome = await signIn(ports, passwords, input);
    switch (outcome.kind) {
      case 'signed-in':
        return signedIn(returnTo, outcome.secret, baseUrl);
      case 'code-awaited': {
        const query = new URLSearchParams({ return_to: returnTo });
        return seeOther(`${codePath}?${query.toString()}`, [
          writeCookie('visit', outcome.secret, { baseUrl, milliseconds: pendingMilliseconds }),
        ]);
      }
      case 'bad-credentials':
      case 'code-required':
        return passwordPage(context, { returnTo, name, problem: wrongPassword, status: 401 });
      case 'suspended':
        return passwordPage(context, { returnTo, name, problem: suspended, status: 403 });
      case 'too-many-logins':
        return passwordPage(context, { returnTo, name, problem: locked, status: 429 });
    }
  };
}

/** The second page, for those whose account has a second factor. */
export async function showCodeForm(context: WebContext): Promise<WebResponse> {
  const returnTo = safeReturn(context.query.get('return_to'), homePath);
  if (context.session) return { kind: 'redirect', location: returnTo };
  const visit = readCookie(context.cookies, 'visit', context.baseUrl);
  if (visit === undefined) return passwordPage(context, { returnTo, name: '' });
  return codeForm({
    returnTo,
    formToken: formToken(visit),
    targets: await targetsBehind(context.ports, returnTo),
  });
}

export function submitSignInCode(
  passwords: PasswordSignIn,
): (context: FormContext) => Promise<WebResponse> {
  return async (context) => {
    const { form, ports, from, baseUrl } = context;
    const pending = requireVisit(context);
    const returnTo = safeReturn(form.get('return_to'), homePath);
    const input = { pending, code: form.get('code') ?? '', address: from };
    const outcome = await signInWithCode(ports, passwords, input);
    switch (outcome.kind) {
      case 'signed-in':
        return signedIn(returnTo, outcome.secret, baseUrl);
      case 'code-required':
        return codeForm({
          returnTo,
          formToken: formToken(pending),
          targets: await targetsBehind(ports, returnTo),
          problem: 'The code is wrong, expired or already used.',
        });
      case 'expired':
      case 'suspended':
      case 'code-awaited':
      case 'bad-credentials':
        return passwordPage(context, {
          returnTo,
          name: '',
          problem: 'The sign-in has expired. Enter your password again.',
          status: 401,
        });
      case 'too-many-logins':
        return passwordPage(context, { returnTo, name: '', problem: locked, status: 429 });
    }
  };
}

const wrongPassword = 'Incorrect login or password.';
const suspended = 'Your account is suspended. Ask an administrator of this server.';
/** As long as auth/lockout.ts locks. */
const locked = 'Too many attempts to sign in have failed. Try again in ten minutes.';

async function passwordPage(
  context: WebContext,
  form: { returnTo: string; name: string; problem?: string; status?: number },
): Promise<WebResponse> {
  const { baseUrl, ports } = context;
  const known = readCookie(context.cookies, 'visit', baseUrl);
  const visit = known ?? makeSecret(ports.randomBytes(secretBytes));
  const page = passwordForm({
    ...form,
    formToken: formToken(visit),
    targets: await targetsBehind(ports, form.returnTo),
  });
  if (known !== undefined) return page;
  // For as long as the page may lie open.
  const milliseconds = sessionMilliseconds;
  return { ...page, cookies: [writeCookie('visit', visit, { baseUrl, milliseconds })] };
}

/** The `visit` cookie, to which the sign-in form is bound, so that another site's form cannot sign in a user (login CSRF). */
function requireVisit({ cookies, baseUrl, form }: FormContext): string {
  const visit = readCookie(cookies, 'visit', baseUrl);
  if (visit === undefined || !isFormToken(visit, form.get(tokenField) ?? '')) refuseForeignForm();
  return visit;
}

function signedIn(returnTo: string, secret: string, baseUrl: string): WebResponse {
  return seeOther(returnTo, [
    writeCookie('session', secret, { baseUrl, milliseconds: sessionMilliseconds }),
    clearCookie('visit', baseUrl),
  ]);
}

/** Ends the session on the server too, so that a copied cookie is no longer valid. */
export async function signOut({
  ports,
  session,
  baseUrl,
}: FormContext & SignedIn): Promise<WebResponse> {
  await ports.database.write((sql) => deleteSession(sql, sha256(session.secret)));
  return seeOther(homePath, [clearCookie('session', baseUrl)]);
}
