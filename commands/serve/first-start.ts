import { findTokenOwner } from '#forge/auth/credential-store.ts';
import { prepareFirstStart, tokenCharactersMin } from '#forge/auth/bootstrap-administrator.ts';
import { sha256 } from '#forge/auth/token.ts';
import { RefusalError } from '#forge/errors/api-error.ts';
import { refusalSentence } from '#forge/errors/error-message.ts';
import type { Ports } from '#forge/ports/ports.ts';
import { OperatorError } from '#platform/operator-error.ts';

/** Its failure is thrown where it is awaited; a start may fail before that. */
export function beginFirstStart(
  ...input: Parameters<typeof prepareFirstStart>
): ReturnType<typeof prepareFirstStart> {
  const firstStart = prepareFirstStart(...input).catch((error: unknown) => {
    if (!(error instanceof RefusalError)) throw error;
    throw new OperatorError(
      `The first start cannot create a site administrator: ${refusalSentence(error.refusal)}`,
    );
  });
  firstStart.catch(() => {});
  return firstStart;
}

/** A first start by an earlier version took tokens of any length, which stay valid: the variable is read by the first start only. */
export async function warnOfGuessableToken(
  { clock, database, log }: Pick<Ports, 'clock' | 'database'> & GuessableTokenLog,
  token: string | undefined,
): Promise<void> {
  if (token === undefined || token.length >= tokenCharactersMin) return;
  const owner = await database.read((sql) => findTokenOwner(sql, sha256(token), clock.now()));
  if (owner === undefined) return;
  const { login } = owner.account;
  log.warn(
    { login, characters: token.length },
    `HOB_ADMIN_TOKEN is a valid token of fewer than ${tokenCharactersMin} characters, which can be guessed: delete it on the page /settings/tokens of ${login}, create another with "hob admin create-token", and remove the variable`,
  );
}

interface GuessableTokenLog {
  readonly log: { warn(details: object, message: string): void };
}
