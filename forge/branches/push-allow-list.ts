import type { Sql } from '#platform/database/database.ts';

import { findAccount } from '../accounts/account-store.ts';
import { type FieldError, invalid } from '../errors/api-error.ts';
import type { Repository } from '../model/repository.ts';
import { findTeam } from '../teams/team-store.ts';
import { type Pushers, pushersMax } from './protection-rules.ts';

/** Those who may push, by the names that a body gives them, or a refusal: all or none. */
export async function pushersOf(
  sql: Sql,
  repository: Repository,
  named: { readonly users: readonly string[]; readonly teams: readonly string[] },
): Promise<Pushers> {
  if (repository.owner.kind === 'user') {
    invalid(fault('Only organization repositories can have users and team restrictions'));
  }
  refuseTooManyPushers(named);
  const users: number[] = [];
  for (const login of named.users) {
    const account = await findAccount(sql, login);
    if (account?.kind !== 'user') {
      return invalid({ ...fault(`${login} is not a user.`), value: login });
    }
    users.push(account.id);
  }
  const teams: number[] = [];
  for (const slug of named.teams) {
    const team = await findTeam(sql, repository.owner.id, slug);
    if (!team) {
      const message = `${slug} is not a team of ${repository.owner.login}.`;
      return invalid({ ...fault(message), value: slug });
    }
    teams.push(team.id);
  }
  return { users, teams };
}

export function refuseTooManyPushers(pushers: {
  readonly users: readonly unknown[];
  readonly teams: readonly unknown[];
}): void {
  if (Math.max(pushers.users.length, pushers.teams.length) <= pushersMax) return;
  invalid(
    fault(
      `A branch can have at most ${pushersMax} users and ${pushersMax} teams with push access.`,
    ),
  );
}

function fault(message: string): FieldError {
  return { resource: 'ProtectedBranch', field: 'restrictions', code: 'custom', message };
}
