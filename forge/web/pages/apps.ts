import type { Sql } from '#platform/database/database.ts';

import { findAccount, memberRole } from '../../accounts/account-store.ts';
import { appBySlug } from '../../auth/apps/app-store.ts';
import { createManifestCode, requireFreeName } from '../../auth/apps/create-app.ts';
import { installApp, ownsApp, uninstallApp } from '../../auth/apps/install-app.ts';
import { installationsOfUser } from '../../auth/apps/installation-store.ts';
import { readManifest } from '../../auth/apps/manifest-input.ts';
import { withParameters } from '../../auth/redirect-uri.ts';
import { formToken, isFormToken } from '#web/form-token.ts';
import { type Session } from '../../auth/sessions/session.ts';
import { notFound, refuse, RefusalError } from '../../errors/api-error.ts';
import { refusalSentence } from '../../errors/error-message.ts';
import { type Account, caseless } from '../../model/account.ts';
import type { App } from '../../model/app.ts';
import { tokenField } from '#web/form.ts';
import type { FormContext, WebContext } from '../kit/web-context.ts';
import { seeOther, type WebResponse } from '#web/web-response.ts';
import type { SignedIn } from '../kit/with-session.ts';
import {
  appPage,
  confirmationPage,
  installationsPage,
  installPage,
  manifestPage,
  signInFirstPage,
} from '../parts/app-views.ts';

export const newAppPath = '/settings/apps/new';
export const newOrganizationAppPath = '/organizations/:org/settings/apps/new';
export const installationsPath = '/settings/installations';
export const appPath = '/apps/:slug';
export const installPath = '/apps/:slug/installations/new';

/** A form for the manifest of a new App. */
export async function showNewApp(context: WebContext & SignedIn): Promise<WebResponse> {
  const { ports, session, path } = context;
  await ports.database.read((sql) => ownerOf(sql, session, path['org']));
  return manifestPage(context.pageUrl, formToken(context.session.secret));
}

/**
 * GitHub's manifest flow: an application's page sends a manifest, the user confirms it here, and the browser returns with a
 * code for `POST /app-manifests/:code/conversions`. The page may be of any server, so only the form token of the confirmation
 * makes a code.
 */
export async function submitManifest(context: FormContext): Promise<WebResponse> {
  const { ports, form, session, query } = context;
  const text = form.get('manifest') ?? '';
  const manifest = await withReason(async () => readManifest(text));
  const { redirectUrl } = manifest;
  if (redirectUrl === null) {
    return refuse({ kind: 'unprocessable', message: 'The manifest has no redirect_url.' });
  }
  const state = form.get('state') ?? query.get('state') ?? '';
  const view = { action: context.pageUrl, manifest, text, state };
  if (!session) return signInFirstPage(view);
  const readOwner = (sql: Sql): Promise<Account> => ownerOf(sql, session, context.path['org']);
  const owner = await ports.database.read(readOwner);
  if (!isFormToken(session.secret, form.get(tokenField) ?? '')) {
    return confirmationPage({ ...view, owner: owner.login, formToken: formToken(session.secret) });
  }
  const code = await withReason(() =>
    ports.database.write(async (sql) => {
      await requireFreeName(sql, manifest.name);
      // Again: the user may have lost the organization meanwhile.
      const { id: ownerId } = await readOwner(sql);
      return createManifestCode(sql, ports, { ownerId, creatorId: session.account.id }, manifest);
    }),
  );
  return seeOther(withParameters(redirectUrl, { code, state: state === '' ? undefined : state }));
}

export async function showApp({ ports, path, session }: WebContext): Promise<WebResponse> {
  return appPage(await ports.database.read((sql) => appOf(sql, path['slug'], session)));
}

/** A form for the account and the repositories on which to install an App. */
export async function showInstall({
  ports,
  path,
  session,
}: WebContext & SignedIn): Promise<WebResponse> {
  const app = await ports.database.read((sql) => appOf(sql, path['slug'], session));
  return installPage(app, session.account.login, formToken(session.secret));
}

export async function submitInstallation({
  ports,
  path,
  form,
  session,
}: FormContext & SignedIn): Promise<WebResponse> {
  const login = (form.get('account') ?? '').trim();
  const own = caseless(login) === caseless(session.account.login);
  const names = (form.get('repositories') ?? '').split(/[\s,]+/).filter((name) => name !== '');
  const selection = form.get('selection') === 'all' ? 'all' : names;
  const now = ports.clock.now();
  await withReason(() =>
    ports.database.write(async (sql) => {
      const app = await appOf(sql, path['slug'], session);
      const account = await ownerOf(sql, session, own ? undefined : login);
      const actorId = session.account.id;
      return installApp(sql, { app, account, names: selection, actorId, now });
    }),
  );
  return seeOther(installationsPath);
}

/** The Apps on the user's account and on the organizations that the user owns. */
export async function showInstallations({
  ports,
  session,
  now,
}: WebContext & SignedIn): Promise<WebResponse> {
  const { installations } = await ports.database.read((sql) =>
    installationsOfUser(sql, session.account.id, { offset: 0, size: installationsMax }),
  );
  return installationsPage(installations, formToken(session.secret), now);
}

export async function uninstall({
  ports,
  path,
  session,
}: FormContext & SignedIn): Promise<WebResponse> {
  const deleted = await ports.database.write(async (sql) => {
    const bounds = { offset: 0, size: installationsMax };
    const { installations } = await installationsOfUser(sql, session.account.id, bounds);
    const found = installations.find(({ id }) => String(id) === path['id']);
    if (!found) return false;
    const { id, appId } = found;
    const actorId = session.account.id;
    return uninstallApp(sql, { appId, id, actorId, now: ports.clock.now() });
  });
  return deleted ? seeOther(installationsPath) : notFound();
}

/** Installations on the page of installed Apps. */
const installationsMax = 1000;

/** A private App is found by its owner only. */
async function appOf(sql: Sql, slug = '', session: Session | undefined): Promise<App> {
  const app = (await appBySlug(sql, caseless(slug))) ?? notFound();
  if (app.public) return app;
  return session && (await ownsApp(sql, session.account.id, app)) ? app : notFound();
}

/** The user, or an organization that the user owns. */
async function ownerOf(
  sql: Sql,
  { account }: Session,
  organization: string | undefined,
): Promise<Account> {
  if (organization === undefined) return account;
  const found = await findAccount(sql, organization);
  if (found?.kind !== 'organization') return notFound();
  return (await memberRole(sql, found.id, account.id)) === 'admin' ? found : notFound();
}

/** The page of an error shows one sentence, so the problems of fields become one. */
async function withReason<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof RefusalError) || error.refusal.kind !== 'validation-failed') throw error;
    return refuse({ kind: 'unprocessable', message: refusalSentence(error.refusal) });
  }
}
