import { sha256 } from '../../auth/token.ts';
import { deleteSession } from '../../auth/sessions/session-store.ts';
import { clearCookie } from '../kit/cookies.ts';
import { homeAddress } from '../kit/home-path.ts';
import { seeOther, type WebAnswer } from '../kit/web-answer.ts';
import type { FormContext } from '../kit/web-context.ts';
import type { SignedIn } from '../kit/with-session.ts';

/** Ends the session on this server too: a cookie that somebody has copied is worth nothing afterwards. */
export async function signOut({
  ports,
  session,
  baseUrl,
}: FormContext & SignedIn): Promise<WebAnswer> {
  await ports.database.write((sql) => deleteSession(sql, sha256(session.secret)));
  return seeOther(homeAddress, [clearCookie('session', baseUrl)]);
}
