import { formToken } from '#web/form-token.ts';
import { seeOther, type WebResponse } from '#web/web-response.ts';

import {
  answerDeviceRequest,
  findDeviceRequest,
  readUserCode,
} from '../../auth/applications/device-flow.ts';
import type { DeviceCodeThrottle } from '../../auth/applications/device-code-throttle.ts';
import type { Session } from '../../auth/sessions/session.ts';
import { devicePath } from '../kit/page-paths.ts';
import type { FormContext, WebContext } from '../kit/web-context.ts';
import type { SignedIn } from '../kit/with-session.ts';
import { deviceCodeForm, deviceConsentPage, deviceEndPage } from '../parts/device-forms.ts';

/** As long as auth/lockout.ts locks. */
const tooManyCodes = 'Too many wrong codes were entered. Try again in ten minutes.';
const unknownCode = 'This is no code that a program waits for. Codes are good for 15 minutes.';

/** Asks for the code that a program shows. No link fills it in, because it could be the code of another's program. */
export async function showDeviceForm({
  query,
  session,
}: WebContext & SignedIn): Promise<WebResponse> {
  const answer = query.get('answer');
  if (answer === 'allowed' || answer === 'refused') return deviceEndPage(answer);
  return deviceCodeForm({ formToken: formToken(session.secret) });
}

/** Shows what the program with this code asks for. */
export function submitDeviceCode(
  throttle: DeviceCodeThrottle,
): (context: FormContext & SignedIn) => Promise<WebResponse> {
  return async ({ form, from, ports, session }) => {
    const userCode = readUserCode(form.get('user_code') ?? '');
    const asking = { accountId: session.account.id, address: from };
    const attempt = await throttle.attempt(asking, () => findDeviceRequest(ports, userCode));
    if (attempt.kind !== 'found') return refusedCode(session, attempt.kind);
    return deviceConsentPage({
      name: attempt.found.application.name,
      scopes: attempt.found.code.scopes,
      login: session.account.login,
      userCode,
      formToken: formToken(session.secret),
    });
  };
}

/** The user's yes or no. */
export function submitDeviceConsent(
  throttle: DeviceCodeThrottle,
): (context: FormContext & SignedIn) => Promise<WebResponse> {
  return async ({ form, from, ports, session }) => {
    const allowed = form.get('authorize') === '1';
    const userCode = readUserCode(form.get('user_code') ?? '');
    const accountId = session.account.id;
    const attempt = await throttle.attempt({ accountId, address: from }, async () =>
      (await answerDeviceRequest(ports, accountId, userCode, allowed)) ? true : undefined,
    );
    if (attempt.kind !== 'found') return refusedCode(session, attempt.kind);
    return seeOther(`${devicePath}?answer=${allowed ? 'allowed' : 'refused'}`);
  };
}

function refusedCode({ secret }: Session, kind: 'wrong' | 'too-many'): WebResponse {
  const token = formToken(secret);
  if (kind === 'wrong') return deviceCodeForm({ formToken: token, problem: unknownCode });
  return deviceCodeForm({ formToken: token, problem: tooManyCodes, status: 429 });
}
