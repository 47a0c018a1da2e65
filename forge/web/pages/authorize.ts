import { findGrant } from '../../auth/applications/application-store.ts';
import {
  type AuthorizationRequest,
  readAuthorizationRequest,
  type FlowError,
} from '../../auth/applications/authorize-input.ts';
import { representFlowError } from '../../auth/applications/exchange-json.ts';
import { consentFor, grantAccess } from '../../auth/applications/grant-access.ts';
import { withParameters } from '../../auth/redirect-uri.ts';
import { notFound, refuse } from '../../errors/api-error.ts';
import type { Ports } from '../../ports/ports.ts';
import { formToken } from '#web/form-token.ts';
import type { Urls } from '../../json/urls.ts';
import { consentPage } from '../parts/consent.ts';
import { loginPath } from '../kit/login-path.ts';
import { seeOther, type WebResponse } from '#web/web-response.ts';
import type { FormContext, WebContext } from '../kit/web-context.ts';
import type { SignedIn } from '../kit/with-session.ts';

export const authorizePath = '/login/oauth/authorize';

/** Asks the user for consent to an application, unless the existing grant is sufficient. */
export async function showConsent(context: WebContext): Promise<WebResponse> {
  const { ports, query, session, urls } = context;
  const read = await authorizationRequestOf(ports, query);
  if (read.kind === 'refused') return { kind: 'redirect', location: refusalUrl(read, urls) };
  const { authorization } = read;
  if (!session) {
    const login = query.get('login');
    const suggestion = login === null ? '' : `&login=${encodeURIComponent(login)}`;
    return { kind: 'redirect', location: loginPath(context.pageUrl) + suggestion };
  }
  const code = await grantAccess(ports, session.account.id, authorization, false);
  if (code !== undefined)
    return { kind: 'redirect', location: respondToRedirectUri(authorization, code) };
  const grant = await ports.database.read((sql) =>
    findGrant(sql, session.account.id, authorization.application.id),
  );
  return consentPage({
    authorization,
    parameters: query,
    scopes: consentFor(authorization, grant).scopes,
    login: session.account.login,
    formToken: formToken(session.secret),
  });
}

/** The user's yes or no. */
export async function submitConsent({
  ports,
  form,
  session,
  urls,
}: FormContext & SignedIn): Promise<WebResponse> {
  const read = await authorizationRequestOf(ports, form);
  if (read.kind === 'refused') return seeOther(refusalUrl(read, urls));
  const { authorization } = read;
  if (form.get('authorize') !== '1') {
    return seeOther(refusalUrl({ ...authorization, error: 'access_denied' }, urls));
  }
  const code = await grantAccess(ports, session.account.id, authorization, true);
  if (code === undefined) throw new Error('the user said yes and was to be asked again');
  return seeOther(respondToRedirectUri(authorization, code));
}

/** Origins to which the consent page behind a URL of ours may send the browser on. */
export async function targetsBehind(
  ports: Pick<Ports, 'database'>,
  pageUrl: string,
): Promise<readonly string[]> {
  const { pathname, searchParams } = new URL(pageUrl, 'http://here.invalid');
  if (pathname !== authorizePath) return [];
  const read = await ports.database.read((sql) => readAuthorizationRequest(sql, searchParams));
  switch (read.kind) {
    case 'request':
      return [new URL(read.authorization.redirectUri).origin];
    case 'refused':
      return [new URL(read.redirectUri).origin];
    case 'unknown-application':
    case 'no-callback':
      return [];
  }
}

interface RefusedAuthorization {
  readonly error: FlowError;
  readonly redirectUri: string;
  readonly state: string | undefined;
}

async function authorizationRequestOf(
  ports: Pick<Ports, 'database'>,
  parameters: URLSearchParams,
): Promise<
  | { kind: 'request'; authorization: AuthorizationRequest }
  | (RefusedAuthorization & { kind: 'refused' })
> {
  const read = await ports.database.read((sql) => readAuthorizationRequest(sql, parameters));
  switch (read.kind) {
    case 'unknown-application':
      return notFound();
    case 'no-callback':
      return refuse({
        kind: 'unprocessable',
        message: `The application ${read.application.name} has no callback URL, so it cannot request authorization.`,
      });
    case 'refused':
    case 'request':
      return read;
  }
}

function respondToRedirectUri(authorization: AuthorizationRequest, code: string): string {
  return withParameters(authorization.redirectUri, { code, state: authorization.state });
}

function refusalUrl({ error, redirectUri, state }: RefusedAuthorization, urls: Urls): string {
  return withParameters(redirectUri, { ...representFlowError(error, urls), state });
}
