import type { WebResponse } from '#web/web-response.ts';

import type { PasswordSignIn } from '../../auth/password-sign-in.ts';
import type { Forms } from '../kit/forms.ts';
import { profilePath } from '../kit/page-paths.ts';
import type { Perform } from '../kit/perform.ts';
import type { FormContext, WebContext } from '../kit/web-context.ts';
import type { SignedIn } from '../kit/with-session.ts';
import { emailsPath, showEmails, submitEmailAct } from './emails.ts';
import { showProfile, submitProfile } from './profile.ts';
import {
  recoveryCodesPath,
  securityPath,
  showRecoveryCodes,
  showSecurity,
  submitSecurityAct,
} from './security.ts';
import { showSshKeys, sshKeysPath, submitSshKeyAct } from './ssh-keys.ts';

/** The pages about the account of the viewer. */
export const settingsPages: readonly (readonly [
  path: string,
  show: (context: WebContext & SignedIn) => Promise<WebResponse>,
])[] = [
  [profilePath, (context) => showProfile(context)],
  [emailsPath, (context) => showEmails(context)],
  [securityPath, (context) => showSecurity(context)],
  [recoveryCodesPath, showRecoveryCodes],
  [sshKeysPath, (context) => showSshKeys(context)],
];

/** Their forms. */
export function settingsForms(
  passwords: PasswordSignIn,
  perform: Perform,
): readonly Forms<FormContext & SignedIn>[] {
  return [
    [profilePath, ['update', 'preferences'], submitProfile(perform)],
    [emailsPath, ['add', 'delete', 'primary', 'visibility'], submitEmailAct(perform)],
    [
      securityPath,
      ['password', 'enable', 'disable', 'end-session', 'end-others'],
      submitSecurityAct(passwords),
    ],
    [sshKeysPath, ['create', 'delete'], submitSshKeyAct(perform)],
  ];
}
