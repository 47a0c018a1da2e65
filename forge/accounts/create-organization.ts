import { uniqueViolation } from '#platform/database/constraint-violation.ts';

import { invalid } from '../errors/api-error.ts';
import { writeAccounts } from '../events/invalidate.ts';
import { insertAccount, putMember } from './account-store.ts';
import { type Account, loginProblem } from '../model/account.ts';
import type { AdministrationPorts } from '../ports/ports.ts';
import { takenLogin } from './create-user.ts';
import { namedUser } from './named-account.ts';

export interface CreateOrganizationInput {
  readonly login: string;
  /** The user who becomes its first owner. */
  readonly ownerLogin: string;
  readonly name?: string | undefined;
}

/** Creates an organization with one owner, or refuses with what is wrong with the input. */
export async function createOrganization(
  ports: AdministrationPorts,
  input: CreateOrganizationInput,
): Promise<Account> {
  const message = loginProblem(input.login);
  if (message !== undefined) {
    invalid({ resource: 'Organization', field: 'login', code: 'custom', message });
  }
  const now = ports.clock.now();
  try {
    return await writeAccounts(ports.database, async (sql) => {
      const owner = await namedUser(sql, input.ownerLogin, 'Organization', 'admin');
      const organization = await insertAccount(sql, {
        kind: 'organization',
        login: input.login,
        name: input.name ?? null,
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
