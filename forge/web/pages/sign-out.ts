import { sha256 } from '../../access/token.ts';
import { deleteSession } from '../../sign-in/session-store.ts';
import { clearCookie } from '../cookies.ts';
import { homeAddress } from '../home-address.ts';
import { seeOther, type WebAnswer } from '../web-answer.ts';
import type { FormContext } from '../web-context.ts';
import type { SignedIn } from '../with-session.ts';

/** Ends the session on this server too: a cookie that somebody has copied is worth nothing afterwards. */
export async function signOut({
  ports,
  session,
  baseUrl,
}: FormContext & SignedIn): Promise<WebAnswer> {
  await ports.database.write((sql) => deleteSession(sql, sha256(session.secret)));
  return seeOther(homeAddress, [clearCookie('session', baseUrl)]);
}
