import Type from 'typebox';

import type { Sql } from '#platform/database/database.ts';

import { findAccount } from '../accounts/account-store.ts';
import { invalid } from '../errors/api-error.ts';
import { accepted } from '../http/endpoint-result.ts';
import { stringEnum, readQuery, nullable } from '../http/schemas.ts';
import type { Account } from '../model/account.ts';
import type { UserCaller } from '../model/caller.ts';
import { repositoryEndpoint, type Endpoint } from '../routing/endpoint.ts';
import { listResponse } from './list-response.ts';
import { describeRepository } from './describe-repository.ts';
import { forkRepository } from './fork-repository.ts';
import { requireMayCreateIn } from './create-repository.ts';
import { mayRead } from './repository-access.ts';
import { viewerOf } from './repository-filter.ts';

const query = Type.Object({
  sort: Type.Optional(stringEnum(['newest', 'oldest', 'stargazers', 'watchers'])),
});

/** The forks of a repository. */
export const forkRoutes: readonly Endpoint[] = [
  repositoryEndpoint({
    operation: 'repos/list-forks',
    method: 'GET',
    path: '/repos/:owner/:repo/forks',
    docs: 'repos#list-forks',
    policy: mayRead,
    async handle(request, { repository }, ports) {
      const { sort } = readQuery(query, request.query, { resource: 'Repository' });
      const filter = {
        viewer: viewerOf(request.caller),
        parentId: repository.id,
        sort:
          sort === 'stargazers' || sort === 'watchers'
            ? ('stargazers' as const)
            : ('created' as const),
        direction: sort === 'oldest' ? ('asc' as const) : ('desc' as const),
      };
      return listResponse(request, filter, ports);
    },
  }),

  repositoryEndpoint({
    operation: 'repos/create-fork',
    method: 'POST',
    path: '/repos/:owner/:repo/forks',
    docs: 'repos#create-a-fork',
    // Archived repositories can be forked: only their number of forks changes.
    policy: { ...mayRead, changes: true, evenArchived: true },
    body: Type.Object({ organization: Type.Optional(nullable(Type.String())) }),
    async handle({ body, caller, now, urls }, { repository }, ports) {
      const owner = await ports.database.read((sql) => ownerOfFork(sql, caller, body.organization));
      const fork = await forkRepository(ports, {
        source: repository,
        owner,
        creator: caller.account,
        now,
      });
      return ports.database.read(async (sql) =>
        accepted(await describeRepository(sql, fork, 'admin', caller, urls)),
      );
    },
  }),
];

async function ownerOfFork(
  sql: Sql,
  caller: UserCaller,
  organization: string | null | undefined,
): Promise<Account> {
  if (organization === undefined || organization === null) return caller.account;
  const account = await findAccount(sql, organization);
  if (account?.kind !== 'organization') {
    return invalid({ resource: 'Fork', field: 'organization', code: 'invalid' });
  }
  await requireMayCreateIn(sql, caller.account, account);
  return account;
}
