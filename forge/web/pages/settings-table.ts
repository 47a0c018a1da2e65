import type { WebResponse } from '#web/web-response.ts';

import type { PasswordSignIn } from '../../auth/password-sign-in.ts';
import type { Forms } from '../kit/forms.ts';
import { profileAddress } from '../kit/page-paths.ts';
import type { Perform } from '../kit/perform.ts';
import type { FormContext, WebContext } from '../kit/web-context.ts';
import type { SignedIn } from '../kit/with-session.ts';
import { emailsAddress, showEmails, takeEmailAct } from './emails.ts';
import { showProfile, takeProfile } from './profile.ts';
import {
  recoveryCodesAddress,
  securityAddress,
  showRecoveryCodes,
  showSecurity,
  takeSecurityAct,
} from './security.ts';
import { showSshKeys, sshKeysAddress, takeSshKeyAct } from './ssh-keys.ts';

/** The pages about the account of the viewer. */
export const settingsPages: readonly (readonly [
  path: string,
  show: (context: WebContext & SignedIn) => Promise<WebResponse>,
])[] = [
  [profileAddress, (context) => showProfile(context)],
  [emailsAddress, (context) => showEmails(context)],
  [securityAddress, (context) => showSecurity(context)],
  [recoveryCodesAddress, showRecoveryCodes],
  [sshKeysAddress, (context) => showSshKeys(context)],
];

/** Their forms. */
export function settingsForms(
  passwords: PasswordSignIn,
  perform: Perform,
): readonly Forms<FormContext & SignedIn>[] {
  return [
    [profileAddress, ['update', 'preferences'], takeProfile(perform)],
    [emailsAddress, ['add', 'delete', 'primary', 'visibility'], takeEmailAct(perform)],
    [
      securityAddress,
      ['password', 'enable', 'disable', 'end-session', 'end-others'],
      takeSecurityAct(passwords),
    ],
    [sshKeysAddress, ['create', 'delete'], takeSshKeyAct(perform)],
  ];
}
