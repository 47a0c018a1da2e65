import { passwordHash } from '../../accounts/account-store.ts';
import { refuse } from '../../errors/api-error.ts';
import type { PasswordSignIn } from '../../auth/password-sign-in.ts';
import { changePassword, requirePassword } from '../../auth/sessions/change-password.ts';
import { passwordMark, sessionMilliseconds } from '../../auth/sessions/session.ts';
import { endSessions, listSessions } from '../../auth/sessions/session-store.ts';
import { findSecondFactor } from '../../auth/second-factor-store.ts';
import { disableTwoFactor, enrol, newSecondFactor } from '../../auth/two-factor.ts';
import { sha256 } from '../../auth/token.ts';
import { writeCookie } from '#web/cookies.ts';
import { createPageForm, type RefusedForm } from '#web/page-form.ts';
import { formPage, seeOther, type WebResponse } from '#web/web-response.ts';
import { readShown, showOnce } from '../kit/shown-once.ts';
import type { FormContext, WebContext } from '../kit/web-context.ts';
import type { SignedIn } from '../kit/with-session.ts';
import { recoveryCodesView, securityView } from '../parts/security-views.ts';
import { refusedAct } from './discussion-acts.ts';

export const securityPath = '/settings/security';

/** Where recovery codes are shown once. */
export const recoveryCodesPath = '/settings/security/codes';
const aboutCodes = 'recovery codes';

/** Password, second factor and sessions of the viewer. */
export async function showSecurity(
  context: WebContext & SignedIn,
  refused?: RefusedForm,
): Promise<WebResponse> {
  const { ports, session, now, query } = context;
  const { account, secret } = session;
  const { factor, sessions } = await ports.database.read(async (sql) => {
    const mark = passwordMark((await passwordHash(sql, account.id)) ?? '');
    return {
      factor: await findSecondFactor(sql, account.id),
      sessions: await listSessions(sql, account.id, mark, now),
    };
  });
  const settingUp = query.get('two-factor') === 'set-up' || refused?.act === 'enable';
  const sealed = refused?.fields.get('sealed') ?? undefined;
  const fresh =
    settingUp && !factor ? (unsealed(context, sealed) ?? newSecondFactor(ports)) : undefined;
  const body = securityView({
    login: account.login,
    form: createPageForm(securityPath, secret, refused),
    enabled: factor !== undefined,
    setUp: fresh && { secret: fresh, sealed: sealFactor(context, fresh) },
    sessions,
    own: sha256(secret),
    now,
  });
  const page = formPage('Security', body, refused?.status);
  return fresh ? { ...page, secret: true } : page;
}

/** The codes that were made just before. */
export async function showRecoveryCodes(context: WebContext & SignedIn): Promise<WebResponse> {
  const shown = readShown(context, aboutCodes);
  if (!shown) return { kind: 'redirect', location: securityPath };
  const body = recoveryCodesView(shown.text.split(' '));
  return { ...formPage('Recovery codes', body), cookies: shown.cookies, secret: true };
}

/** Changes the password or the second factor, or ends sessions. */
export function submitSecurityAct(
  passwords: PasswordSignIn,
): (context: FormContext & SignedIn) => Promise<WebResponse> {
  return async (context) => {
    const { ports, session, form, from, path, baseUrl } = context;
    const { account } = session;
    const claim = { account, password: form.get('password') ?? '', address: from };
    const acts: Readonly<Record<string, () => Promise<WebResponse>>> = {
      async password() {
        const next = form.get('new_password') ?? '';
        if (next !== form.get('repeated_password')) {
          refuse({ kind: 'unprocessable', message: 'The new passwords differ.' });
        }
        const secret = await changePassword(ports, passwords, claim, next);
        const cookie = { baseUrl, milliseconds: sessionMilliseconds };
        return seeOther(securityPath, [writeCookie('session', secret, cookie)]);
      },
      async enable() {
        const secret = unsealed(context, form.get('sealed') ?? undefined);
        if (!secret) {
          return refuse({
            kind: 'unprocessable',
            message: 'The form is too old. Scan the new code.',
          });
        }
        await requirePassword(passwords, claim);
        const code = form.get('code') ?? '';
        const { recoveryCodes } = await enrol(ports, { login: account.login, secret, code });
        const cookie = showOnce(context, aboutCodes, recoveryCodes.join(' '));
        return seeOther(recoveryCodesPath, [cookie]);
      },
      async disable() {
        const code = form.get('code') ?? '';
        const { login } = account;
        const result = await passwords.signIn({ ...claim, login, code });
        if (result.kind === 'too-many-logins') refuse({ kind: 'too-many-logins' });
        if (result.kind !== 'signed-in') {
          refuse({ kind: 'unprocessable', message: 'The password or the code is wrong.' });
        }
        await disableTwoFactor(ports, login);
        return seeOther(securityPath);
      },
      async 'end-session'() {
        const only = form.get('session') ?? '';
        await ports.database.write((sql) => endSessions(sql, account.id, { only }));
        return seeOther(securityPath);
      },
      async 'end-others'() {
        const allBut = sha256(session.secret);
        await ports.database.write((sql) => endSessions(sql, account.id, { allBut }));
        return seeOther(securityPath);
      },
    };
    const act = path['act'] ?? '';
    return refusedAct(
      { name: act, form, show: (refused) => showSecurity(context, refused) },
      Object.hasOwn(acts, act) ? acts[act] : undefined,
    );
  };
}

/** The secret goes to the browser and back with the form, readable for this session alone. */
function sealFactor({ ports, session }: WebContext & SignedIn, secret: Uint8Array): string {
  return ports.sealing.seal(Buffer.from(secret), factorOf(session.secret));
}

function unsealed(
  { ports, session }: WebContext & SignedIn,
  sealed: string | undefined,
): Uint8Array | undefined {
  return ports.sealing.unseal(sealed ?? '', factorOf(session.secret));
}

function factorOf(sessionSecret: string): string {
  return `second factor ${sha256(sessionSecret)}`;
}
