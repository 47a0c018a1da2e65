import { createToken } from '../../auth/create-token.ts';
import { deletePersonalToken, listPersonalTokens } from '../../auth/credential-store.ts';
import { readPage } from '../../http/pagination.ts';
import { refusalSentence } from '../../errors/error-message.ts';
import { notFound, refuse, RefusalError } from '../../errors/api-error.ts';
import { formToken } from '#web/form-token.ts';
import { readShown, showOnce } from '../kit/shown-once.ts';
import { expirations, newTokenPage, tokensPage, usualExpiration } from '../parts/token-views.ts';
import { seeOther, type WebResponse } from '#web/web-response.ts';
import type { FormContext, WebContext } from '../kit/web-context.ts';
import type { SignedIn } from '../kit/with-session.ts';

export const tokensPath = '/settings/tokens';

/** The user's personal access tokens, and a form for a new one. */
export async function showTokens(context: WebContext & SignedIn): Promise<WebResponse> {
  return listed(context, context.query);
}

/** Where a created token is shown. */
export const createdTokenPath = '/settings/tokens/created';
const aboutToken = 'created token';

/** The token that was created just before; once, so that a reload shows and makes none. */
export async function showCreatedToken(context: WebContext & SignedIn): Promise<WebResponse> {
  const shown = readShown(context, aboutToken);
  if (!shown) return { kind: 'redirect', location: tokensPath };
  return newTokenPage(shown.text, shown.cookies);
}

/** Creates a token; the page that it leads to shows it once. */
export async function submitNewToken(context: FormContext & SignedIn): Promise<WebResponse> {
  const { ports, session, form } = context;
  const note = (form.get('note') ?? '').trim();
  if (note === '') return listed(context, form, 'Enter a note for the token.');
  try {
    const created = await createToken(ports, {
      login: session.account.login,
      scopes: form.getAll('scopes'),
      note,
      expiresAt: expiryOf(form, context.now),
    });
    return seeOther(createdTokenPath, [showOnce(context, aboutToken, created.token)]);
  } catch (error) {
    if (!(error instanceof RefusalError)) throw error;
    return listed(context, form, refusalSentence(error.refusal));
  }
}

/** undefined: never. */
function expiryOf(form: URLSearchParams, now: number): number | undefined {
  const chosen = form.get('expiration') ?? usualExpiration;
  if (!expirations.some(({ value }) => value === chosen)) refuseExpiry('Choose an expiration.');
  if (chosen === 'none') return undefined;
  if (chosen !== 'custom') return now + Number(chosen) * dayMilliseconds;
  const date = form.get('expires_on') ?? '';
  const at = /^\d{4}-\d{2}-\d{2}$/.test(date) ? Date.parse(`${date}T00:00:00Z`) : NaN;
  // `Date.parse` reads 31 February as 3 March.
  const exists = !Number.isNaN(at) && new Date(at).toISOString().startsWith(date);
  return exists ? at : refuseExpiry('Enter the date on which the token expires.');
}

function refuseExpiry(message: string): never {
  return refuse({ kind: 'unprocessable', message });
}

const dayMilliseconds = 86_400_000;

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
  return ended ? seeOther(tokensPath) : notFound();
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
    pageUrl: tokensPath,
    formToken: formToken(secret),
    siteAdmin: account.siteAdmin,
    note: filledIn.get('note') ?? '',
    expiration: filledIn.get('expiration') ?? usualExpiration,
    expiresOn: filledIn.get('expires_on') ?? '',
    chosen: new Set(filledIn.getAll('scopes')),
    problem,
    now,
  });
}
