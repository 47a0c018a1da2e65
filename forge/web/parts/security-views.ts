import { renderSVG } from 'uqr';

import { button, textField } from '#web/fields.ts';
import { asking, hidden, problemView } from '#web/form.ts';
import { html, type Html, timeElement } from '#web/html.ts';
import type { PageForm } from '#web/page-form.ts';

import { base32, enrolmentUrl } from '../../auth/one-time-password.ts';
import type { ListedSession } from '../../auth/sessions/session-store.ts';
import { accountNav } from './account-nav.ts';

interface SecurityView {
  readonly login: string;
  readonly form: PageForm;
  /** Whether a second factor is required. */
  readonly enabled: boolean;
  /** A new secret, and the same for the form. */
  readonly setUp: { readonly secret: Uint8Array; readonly sealed: string } | undefined;
  readonly sessions: readonly ListedSession[];
  /** The hash of the viewer's session. */
  readonly own: string;
  readonly now: number;
}

export function securityView(view: SecurityView): Html {
  const parts = html`${passwordForm(view)}
    <h2 id="two-factor">Two-factor authentication</h2>
    ${twoFactorView(view)}
    <h2 id="sessions">Sessions</h2>
    ${sessionsView(view)}`;
  return html`<h1>Security</h1>
    ${accountNav('/settings/security')} ${problemView(view.form.problemLeft())} ${parts}`;
}

/** With the login, so that password managers know whose password it is. */
function presentPassword(login: string): Html {
  return html`<input type="text" name="username" value="${login}" autocomplete="username" hidden />
    ${textField({
      label: 'Present password',
      name: 'password',
      type: 'password',
      autocomplete: 'current-password',
      required: true,
    })}`;
}

function newPassword(label: string, name: string): Html {
  const autocomplete = 'new-password';
  return textField({ label, name, type: 'password', autocomplete, required: true });
}

function passwordForm({ form, login }: SecurityView): Html {
  return html`<h2>Password</h2>
    <p>A new password ends all sessions but this one. Tokens stay.</p>
    ${form.view(
      'password',
      html`${presentPassword(login)} ${newPassword('New password', 'new_password')}
      ${newPassword('The new password again', 'repeated_password')}
      ${button('Change password', 'primary')}`,
    )}`;
}

function twoFactorView({ login, form, enabled, setUp }: SecurityView): Html {
  const codeField = textField({
    label: 'Code',
    name: 'code',
    autocomplete: 'one-time-code',
    required: true,
  });
  if (enabled) {
    return html`<p><span class="good">✓</span> Enabled: signing in takes a code of your app.</p>
      ${asking(
        'Disable it',
        form.view(
          'disable',
          html`<p>To move to another device, disable it and set it up again.</p>
            ${presentPassword(login)} ${codeField} ${button('Disable', 'danger')}`,
        ),
      )}`;
  }
  if (!setUp) {
    return html`<p>Not enabled: the password alone signs in.</p>
      <p><a class="button" href="?two-factor=set-up#two-factor">Set it up</a></p>`;
  }
  const picture = Buffer.from(renderSVG(enrolmentUrl(login, setUp.secret))).toString('base64');
  return html`<p>Scan this with an authenticator app, or type the key into it.</p>
    <p>
      <img
        src="data:image/svg+xml;base64,${picture}"
        alt="QR code of the key below"
        width="240"
        height="240"
      />
    </p>
    <p><code>${base32(setUp.secret)}</code></p>
    ${form.view(
      'enable',
      html`${hidden('sealed', setUp.sealed)} ${presentPassword(login)} ${codeField}
      ${button('Enable', 'primary')}`,
    )}`;
}

function sessionsView({ sessions, form, own, now }: SecurityView): Html {
  return html`<ul class="rows">
      ${sessions.map(
        ({ sha256, createdAt, expiresAt }) =>
          html`<li>
            <span class="grow"
              >Signed in ${timeElement(createdAt, now)}, ends ${timeElement(expiresAt, now)}</span
            >
            ${
              sha256 === own
                ? html`<span class="mark">this browser</span>`
                : form.row(
                    'end-session',
                    html`${hidden('session', sha256)} ${button('End', 'danger')}`,
                  )
            }
          </li>`,
      )}
    </ul>
    ${sessions.length > 1 ? form.view('end-others', button('End all others', 'danger'), 'line') : ''}`;
}

export function recoveryCodesView(codes: readonly string[]): Html {
  return html`<h1>Recovery codes</h1>
    <p>
      Two-factor authentication is enabled. Each of these replaces a code once, if you lose your
      device. Save them now: they cannot be shown again.
    </p>
    <pre tabindex="0">${codes.join('\n')}</pre>
    <p><a href="/settings/security">Security</a></p>`;
}
