import { uniqueViolation } from '#platform/database/constraint-violation.ts';

import { insertToken } from './credential-store.ts';
import { scopes, widest } from '../model/scopes.ts';
import { makeToken, sha256 } from './token.ts';
import { invalid } from '../errors/api-error.ts';
import { writeAccounts } from '../events/invalidate.ts';
import { hasUsers, insertAccount } from '../accounts/account-store.ts';
import type { AdministrationPorts } from '../ports/ports.ts';
import { problemsOf } from '../accounts/create-user.ts';

/** Values chosen by the operator; the rest is generated. */
export interface BootstrapInput {
  readonly login?: string | undefined;
  readonly password?: string | undefined;
  readonly token?: string | undefined;
}

/** The site administrator's credentials, shown once: only their hashes are stored. */
export interface FirstCredentials {
  readonly login: string;
  readonly password: string;
  /** Holds every scope. */
  readonly token: string;
}

const loginDefault = 'root';

/**
 * Length of the first administrator's token that the environment sets; a server with a shorter one does not start. Nothing
 * slows down guessing of tokens, which are random otherwise: 16 hexadecimal digits are 64 bits (NIST SP 800-63B, 5.1.2.2).
 */
export const tokenCharactersMin = 16;

/**
 * On a database without users, makes a site administrator, so that a fresh server can be used at all; undefined on every
 * other start. Of several processes that start at once, one makes it.
 */
export async function firstStart(
  ports: AdministrationPorts,
  input: BootstrapInput = {},
): Promise<FirstCredentials | undefined> {
  const makeAdministrator = await prepareFirstStart(ports, input);
  return makeAdministrator();
}

/**
 * Hashes the password, which takes a while, so that a start does something else meanwhile. Only the returned function makes the
 * administrator: the credentials of a start that fails would never be shown.
 */
export async function prepareFirstStart(
  ports: AdministrationPorts,
  input: BootstrapInput = {},
): Promise<() => Promise<FirstCredentials | undefined>> {
  if (await ports.database.read(hasUsers)) return async () => undefined;
  const credentials = credentialsOf(ports, input);
  refuseUnusable(credentials);
  const passwordHash = await ports.passwords.hash(credentials.password);
  return () => insertAdministrator(ports, credentials, passwordHash);
}

async function insertAdministrator(
  ports: AdministrationPorts,
  credentials: FirstCredentials,
  passwordHash: string,
): Promise<FirstCredentials | undefined> {
  const now = ports.clock.now();
  try {
    return await writeAccounts(ports.database, async (sql) => {
      if (await hasUsers(sql)) return undefined;
      const account = await insertAccount(sql, {
        kind: 'user',
        login: credentials.login,
        siteAdmin: true,
        passwordHash,
        now,
      });
      await insertToken(sql, {
        accountId: account.id,
        sha256: sha256(credentials.token),
        lastEight: shownEnd(credentials.token),
        note: 'first start',
        scopes: widest(scopes),
        now,
      });
      return credentials;
    });
  } catch (error) {
    if (uniqueViolation(error)) return undefined;
    throw error;
  }
}

function credentialsOf(ports: AdministrationPorts, input: BootstrapInput): FirstCredentials {
  return {
    login: input.login ?? loginDefault,
    password: input.password ?? Buffer.from(ports.randomBytes(18)).toString('base64url'),
    token: input.token ?? makeToken(ports.randomBytes(32)),
  };
}

function refuseUnusable({ login, password, token }: FirstCredentials): void {
  const problems = problemsOf({ login, password });
  // It must fit into a header as it is, also as the user name of Basic, which ends at a colon.
  if (!/^[!-9;-~]{1,255}$/.test(token) || token.length < tokenCharactersMin) {
    problems.push({
      resource: 'OauthAccess',
      field: 'token',
      code: 'custom',
      message: `token must be ${tokenCharactersMin} to 255 printable ASCII characters without spaces and colons; HOB_ADMIN_TOKEN has ${token.length} (openssl rand -hex 20 makes one, and without the variable the first start does)`,
    });
  }
  if (problems.length > 0) invalid(...problems);
}

/** For lists, which must not reveal most of a token that an operator has chosen. */
function shownEnd(token: string): string {
  return token.slice(-Math.min(8, Math.floor(token.length / 4)));
}
