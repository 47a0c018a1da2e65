import { uniqueViolation } from '#platform/database/constraint-violation.ts';

import { type FieldError, invalid } from '../errors/api-error.ts';
import { writeAccounts } from '../events/invalidate.ts';
import { insertAccount } from './account-store.ts';
import { isEmailTaken } from './email-store.ts';
import { type Account, isNoreplyAddress, loginProblem } from '../model/account.ts';
import type { AdministrationPorts } from '../ports/ports.ts';

export interface CreateUserInput {
  readonly login: string;
  /** Without one the user can only use tokens. */
  readonly password?: string | undefined;
  readonly email?: string | undefined;
  readonly name?: string | undefined;
  readonly siteAdmin?: boolean;
}

/** Password; a longer one would only make the slow hash slower. */
const passwordBytesMax = 1024;

/** Creates a user, or refuses with what is wrong with the input. */
export async function createUser(
  ports: AdministrationPorts,
  input: CreateUserInput,
): Promise<Account> {
  const problems = problemsOf(input);
  if (problems.length > 0) invalid(...problems);
  const hash = input.password === undefined ? null : await ports.passwords.hash(input.password);
  const now = ports.clock.now();
  try {
    return await writeAccounts(ports.database, async (sql) => {
      if (input.email !== undefined && (await isEmailTaken(sql, input.email))) {
        const message = `email '${input.email}' is already in use`;
        invalid({ resource: 'User', field: 'email', code: 'custom', message });
      }
      return insertAccount(sql, {
        kind: 'user',
        login: input.login,
        name: input.name ?? null,
        email: input.email ?? null,
        siteAdmin: input.siteAdmin ?? false,
        passwordHash: hash,
        now,
      });
    });
  } catch (error) {
    if (!uniqueViolation(error)) throw error;
    return invalid(takenLogin('User', input.login));
  }
}

/** Problems of the input for a user, except that the login is taken. */
export function problemsOf(input: CreateUserInput): FieldError[] {
  const sentences: [field: string, message: string | undefined][] = [
    ['login', loginProblem(input.login)],
    ['password', input.password === undefined ? undefined : passwordProblem(input.password)],
    ['email', input.email === undefined ? undefined : emailProblem(input.email)],
    ['name', input.name === undefined ? undefined : nameProblem(input.name)],
  ];
  return sentences.flatMap(([field, message]) =>
    message === undefined ? [] : [{ resource: 'User', field, code: 'custom', message }],
  );
}

export function takenLogin(resource: 'User' | 'Organization', login: string): FieldError {
  return {
    resource,
    field: 'login',
    code: 'custom',
    message: `login '${login}' is already taken by a user or an organization`,
  };
}

export function passwordProblem(password: string): string | undefined {
  const bytes = Buffer.byteLength(password);
  if (bytes >= 1 && bytes <= passwordBytesMax) return undefined;
  return `password must have 1 to ${passwordBytesMax} bytes`;
}

/** E-mail address of a user. */
const emailCharactersMax = 254;
/** Name of a user. */
const nameCharactersMax = 255;

/** Commits name their authors `Name <email>` on one line, so characters that break this format are refused. */
export function emailProblem(email: string): string | undefined {
  const plain =
    /^[^\s@<>]+@[^\s@<>]+$/.test(email) && isPrintable(email) && email.length <= emailCharactersMax;
  if (!plain) return `email '${email}' is not an email address like someone@example.org`;
  return isNoreplyAddress(email) ? `email '${email}' is an address of this server` : undefined;
}

export function nameProblem(name: string): string | undefined {
  const plain =
    name.trim() !== '' &&
    name.length <= nameCharactersMax &&
    !/[<>]/.test(name) &&
    isPrintable(name);
  return plain
    ? undefined
    : `name must be 1 to ${nameCharactersMax} printable characters without < and >`;
}

export function isPrintable(text: string): boolean {
  return text.isWellFormed() && !/\p{Cc}/u.test(text);
}
