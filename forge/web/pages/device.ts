import { formToken } from '#web/form-token.ts';
import { seeOther, type WebResponse } from '#web/web-response.ts';

import {
  answerDeviceRequest,
  findDeviceRequest,
  readUserCode,
} from '../../auth/applications/device-flow.ts';
import { devicePath } from '../kit/page-paths.ts';
import type { FormContext, WebContext } from '../kit/web-context.ts';
import type { SignedIn } from '../kit/with-session.ts';
import { deviceCodeForm, deviceConsentPage, deviceEndPage } from '../parts/device-forms.ts';

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
export async function takeDeviceCode({
  form,
  ports,
  session,
}: FormContext & SignedIn): Promise<WebResponse> {
  const userCode = readUserCode(form.get('user_code') ?? '');
  const found = await findDeviceRequest(ports, userCode);
  const token = formToken(session.secret);
  if (!found) return deviceCodeForm({ formToken: token, problem: unknownCode });
  return deviceConsentPage({
    name: found.application.name,
    scopes: found.code.scopes,
    login: session.account.login,
    userCode,
    formToken: token,
  });
}

/** The user's yes or no. */
export async function takeDeviceConsent({
  form,
  ports,
  session,
}: FormContext & SignedIn): Promise<WebResponse> {
  const allowed = form.get('authorize') === '1';
  const userCode = readUserCode(form.get('user_code') ?? '');
  const answered = await answerDeviceRequest(ports, session.account.id, userCode, allowed);
  if (answered) return seeOther(`${devicePath}?answer=${allowed ? 'allowed' : 'refused'}`);
  return deviceCodeForm({ formToken: formToken(session.secret), problem: unknownCode });
}
