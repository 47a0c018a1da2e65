import { createToken } from '../../auth/create-token.ts';
import { deletePersonalToken, listPersonalTokens } from '../../auth/credential-store.ts';
import { readPage } from '../../http/pagination.ts';
import { refusalSentence } from '../../errors/error-message.ts';
import { notFound, RefusalError } from '../../errors/api-error.ts';
import { sha256 } from '../../auth/token.ts';
import { clearCookie, readCookie, writeCookie } from '#web/cookies.ts';
import { formToken } from '#web/form-token.ts';
import { newTokenPage, tokensPage } from '../parts/token-views.ts';
import { seeOther, type WebResponse } from '#web/web-response.ts';
import type { FormContext, WebContext } from '../kit/web-context.ts';
import type { SignedIn } from '../kit/with-session.ts';

export const tokensAddress = '/settings/tokens';

/** The user's personal access tokens, and a form for a new one. */
export async function showTokens(context: WebContext & SignedIn): Promise<WebResponse> {
  return listed(context, context.query);
}

/** Where a created token is shown. */
export const createdTokenAddress = '/settings/tokens/created';
const shownMilliseconds = 60_000;

/** Only the session that created a token can read it. */
function shownFor(sessionSecret: string): string {
  return `created token ${sha256(sessionSecret)}`;
}

/** The token that was created just before; once, so that a reload shows and makes none. */
export async function showCreatedToken({
  ports,
  session,
  cookies,
  baseUrl,
}: WebContext & SignedIn): Promise<WebResponse> {
  const cookie = readCookie(cookies, 'shown', baseUrl);
  const sealed = cookie === undefined ? '' : Buffer.from(cookie, 'base64url').toString();
  const token = ports.sealing.unseal(sealed, shownFor(session.secret));
  if (!token) return { kind: 'redirect', location: tokensAddress };
  return newTokenPage(Buffer.from(token).toString(), [clearCookie('shown', baseUrl)]);
}

/** Creates a token; the page that it leads to shows it once. */
export async function makeToken(context: FormContext & SignedIn): Promise<WebResponse> {
  const { ports, session, form } = context;
  const note = (form.get('note') ?? '').trim();
  if (note === '') return listed(context, form, 'Enter a note for the token.');
  try {
    const created = await createToken(ports, {
      login: session.account.login,
      scopes: form.getAll('scopes'),
      note,
    });
    const sealed = ports.sealing.seal(Buffer.from(created.token), shownFor(session.secret));
    const cookie = Buffer.from(sealed).toString('base64url');
    return seeOther(createdTokenAddress, [
      writeCookie('shown', cookie, { baseUrl: context.baseUrl, milliseconds: shownMilliseconds }),
    ]);
  } catch (error) {
    if (!(error instanceof RefusalError)) throw error;
    return listed(context, form, refusalSentence(error.refusal));
  }
}

/** Revokes a token: requests with it get 401 from now on. */
export async function endToken({
  ports,
  session,
  path,
}: FormContext & SignedIn): Promise<WebResponse> {
  const id = path['id'] ?? '';
  if (!/^\d{1,15}$/.test(id)) return notFound();
  const ended = await ports.database.write((sql) =>
    deletePersonalToken(sql, session.account.id, Number(id)),
  );
  return ended ? seeOther(tokensAddress) : notFound();
}

async function listed(
  { ports, session, query, now }: WebContext & SignedIn,
  filledIn: URLSearchParams,
  problem?: string,
): Promise<WebResponse> {
  const { account, secret } = session;
  const page = readPage(query);
  const wanted = { offset: page.offset, size: page.size + 1 };
  const tokens = await ports.database.read((sql) => listPersonalTokens(sql, account.id, wanted));
  return tokensPage({
    tokens: tokens.slice(0, page.size),
    page,
    hasNext: tokens.length > page.size,
    address: tokensAddress,
    formToken: formToken(secret),
    siteAdmin: account.siteAdmin,
    note: filledIn.get('note') ?? '',
    chosen: new Set(filledIn.getAll('scopes')),
    problem,
    now,
  });
}
