import { uniqueViolation } from '#platform/database/constraint-violation.ts';

import { type FieldError, invalid } from '../errors/api-error.ts';
import { writeAccounts } from '../events/invalidate.ts';
import { insertAccount, putMember } from './account-store.ts';
import { type Account, loginProblem } from '../model/account.ts';
import type { AdministrationPorts } from '../ports/ports.ts';
import { nameProblem, takenLogin } from './create-user.ts';
import { resolveUser } from './resolve-account.ts';

export interface CreateOrganizationInput {
  readonly login: string;
  /** The user who becomes its first owner. */
  readonly ownerLogin: string;
  /** An empty one is none. */
  readonly name?: string | undefined;
}

/** Creates an organization with one owner, or refuses with what is wrong with the input. */
export async function createOrganization(
  ports: AdministrationPorts,
  input: CreateOrganizationInput,
): Promise<Account> {
  const name = input.name?.trim() ?? '';
  const problems = problemsOf(input.login, name);
  if (problems.length > 0) invalid(...problems);
  const now = ports.clock.now();
  try {
    return await writeAccounts(ports.database, async (sql) => {
      const owner = await resolveUser(sql, input.ownerLogin, 'Organization', 'admin');
      const organization = await insertAccount(sql, {
        kind: 'organization',
        login: input.login,
        name: name === '' ? null : name,
        now,
      });
      await putMember(sql, organization.id, owner.id, 'admin');
      return organization;
    });
  } catch (error) {
    if (!uniqueViolation(error)) throw error;
    return invalid(takenLogin('Organization', input.login));
  }
}

function problemsOf(login: string, name: string): FieldError[] {
  const sentences: [field: string, message: string | undefined][] = [
    ['login', loginProblem(login)],
    ['name', name === '' ? undefined : nameProblem(name)],
  ];
  return sentences.flatMap(([field, message]) =>
    message === undefined ? [] : [{ resource: 'Organization', field, code: 'custom', message }],
  );
}
