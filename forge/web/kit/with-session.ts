import { notFound, refuse } from '../../errors/api-error.ts';
import { isFormToken } from '#web/form-token.ts';
import { type Session } from '../../auth/sessions/session.ts';
import { loginPath } from './login-path.ts';
import { tokenField, refuseForeignForm } from '#web/form.ts';
import type { WebResponse } from '#web/web-response.ts';
import type { FormContext, WebContext } from './web-context.ts';

export const sessionEnded =
  'Your session has ended, so nothing was changed. Sign in and send the form again.';

export interface SignedIn {
  readonly session: Session;
}

/** A page for signed-in users; others are redirected to the sign-in page. A token in a header is not enough. */
export function withSession(
  handler: (context: WebContext & SignedIn) => Promise<WebResponse>,
): (context: WebContext) => Promise<WebResponse> {
  return async (context) => {
    const { session } = context;
    if (session) return handler({ ...context, session });
    return { kind: 'redirect', location: loginPath(context.pageUrl) };
  };
}

/** A page for site administrators, of which others learn nothing. */
export function withSiteAdmin(
  handler: (context: WebContext & SignedIn) => Promise<WebResponse>,
): (context: WebContext) => Promise<WebResponse> {
  return withSession(async (context) =>
    context.session.account.siteAdmin ? handler(context) : notFound(),
  );
}

/** A form for site administrators. */
export function formWithSiteAdmin(
  handler: (context: FormContext & SignedIn) => Promise<WebResponse>,
): (context: FormContext) => Promise<WebResponse> {
  return formWithSession(async (context) =>
    context.session.account.siteAdmin ? handler(context) : notFound(),
  );
}

/** A form for signed-in users. */
export function formWithSession(
  handler: (context: FormContext & SignedIn) => Promise<WebResponse>,
): (context: FormContext) => Promise<WebResponse> {
  return async (context) => {
    const { session, form } = context;
    if (!session) {
      return refuse({
        kind: 'forbidden',
        message: sessionEnded,
      });
    }
    if (!isFormToken(session.secret, form.get(tokenField) ?? '')) refuseForeignForm();
    return handler({ ...context, session });
  };
}
