import Type from 'typebox';

import type { Sql } from '#platform/database/database.ts';

import { notFound, refuse } from '../../errors/api-error.ts';
import { created, noContent, page } from '../../http/endpoint-result.ts';
import { timestamp } from '../../json/json-values.ts';
import { caseless } from '../../model/account.ts';
import { type AppPermissions, commonPermissions, type Installation } from '../../model/app.ts';
import { permissionsIn } from '../../repositories/repository-access.ts';
import { representRepositoryFor } from '../../repositories/repository-json.ts';
import { listRepositories } from '../../repositories/repository-list-store.ts';
import { repositoriesById } from '../../repositories/repository-store.ts';
import {
  appEndpoint,
  type Endpoint,
  installationEndpoint,
  userEndpoint,
} from '../../routing/endpoint.ts';
import { representInstallation } from './app-json.ts';
import { installedRepositoriesMax } from './install-app.ts';
import {
  findInstallation,
  installationsOfUser,
  revokeInstallationToken,
} from './installation-store.ts';
import { repositoriesOfAccount, selectedRepositories } from './installed-repository-store.ts';
import { issueInstallationToken } from './installation-token.ts';
import { readPermissions } from './manifest-input.ts';

/** Tokens of installations, and what they have access to. */
export const installationRoutes: readonly Endpoint[] = [
  /** On the user's own account and on the organizations that the user owns. */
  userEndpoint({
    operation: 'apps/list-installations-for-authenticated-user',
    method: 'GET',
    path: '/user/installations',
    docs: 'apps#list-app-installations-accessible-to-the-user-access-token',
    scopes: ['read:org', 'repo', 'user'],
    async handle({ caller, page: bounds, urls }, { database }) {
      const { installations, total } = await database.read((sql) =>
        installationsOfUser(sql, caller.account.id, bounds),
      );
      const body = {
        total_count: total,
        installations: installations.map((each) => representInstallation(each, urls)),
      };
      return page(body, total);
    },
  }),

  installationEndpoint({
    operation: 'apps/list-repos-accessible-to-installation',
    method: 'GET',
    path: '/installation/repositories',
    docs: 'apps#list-repositories-accessible-to-the-app-installation',
    refusal:
      'You must authenticate with an installation access token in order to list repositories for an installation.',
    async handle({ caller, page: bounds, urls }, { database }) {
      const { accountId, repositoryIds } = caller.installation;
      return database.read(async (sql) => {
        const filter = {
          // The owner sees all of the account's repositories, and so does its installation.
          viewer: { accountId, seesPrivate: true },
          ownerId: accountId,
          sort: 'created',
          direction: 'asc',
          ...(repositoryIds === 'all' ? {} : { ids: repositoryIds }),
        } as const;
        const { repositories, total } = await listRepositories(sql, filter, bounds);
        const permissions = await permissionsIn(
          sql,
          caller,
          repositories.map(({ id }) => id),
        );
        const body = {
          total_count: total,
          repository_selection: repositoryIds === 'all' ? 'all' : 'selected',
          repositories: repositories.map((repository) =>
            representRepositoryFor(repository, permissions.get(repository.id) ?? 'none', urls),
          ),
        };
        return page(body, total);
      });
    },
  }),

  appEndpoint({
    operation: 'apps/create-installation-access-token',
    method: 'POST',
    path: '/app/installations/:installation_id/access_tokens',
    docs: 'apps#create-an-installation-access-token-for-an-app',
    body: Type.Object({
      repositories: Type.Optional(
        Type.Array(Type.String(), { maxItems: installedRepositoriesMax }),
      ),
      repository_ids: Type.Optional(
        Type.Array(Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER }), {
          maxItems: installedRepositoriesMax,
        }),
      ),
      permissions: Type.Optional(Type.Record(Type.String(), Type.String())),
    }),
    async handle({ path, body, caller, urls }, ports) {
      return ports.database.read(async (sql) => {
        const installation =
          (await findInstallation(sql, caller.app.id, path.installation_id)) ?? notFound();
        if (installation.suspendedAt !== null) {
          refuse({ kind: 'forbidden', message: 'This installation has been suspended' });
        }
        const permissions = narrowPermissions(installation.permissions, body.permissions);
        const asked = {
          names: [...new Set((body.repositories ?? []).map(caseless))],
          ids: [...new Set(body.repository_ids ?? [])],
        };
        const all = body.repositories === undefined && body.repository_ids === undefined;
        const repositoryIds = all ? null : await narrowRepositories(sql, installation, asked);
        const { text, expiresAt } = issueInstallationToken(ports, {
          installationId: installation.id,
          repositoryIds,
          permissions,
        });
        const repositories = await repositoriesById(sql, repositoryIds ?? []);
        const answer = {
          token: text,
          expires_at: timestamp(expiresAt),
          permissions: { ...permissions },
          repository_selection: all ? installation.repositorySelection : 'selected',
          ...(all
            ? {}
            : {
                repositories: [...repositories.values()].map((repository) =>
                  representRepositoryFor(repository, 'read', urls),
                ),
              }),
        };
        return created(answer, urls.api('/installation/token'));
      });
    },
  }),

  installationEndpoint({
    operation: 'apps/revoke-installation-access-token',
    method: 'DELETE',
    path: '/installation/token',
    docs: 'apps#revoke-an-installation-access-token',
    refusal: 'You must authenticate with an installation access token in order to revoke it.',
    async handle({ caller, now }, { database }) {
      const { token } = caller.installation;
      await database.write((sql) => revokeInstallationToken(sql, token, now));
      return noContent();
    },
  }),
];

function narrowPermissions(
  granted: AppPermissions,
  asked: Readonly<Record<string, string>> | undefined,
): AppPermissions {
  if (!asked || Object.keys(asked).length === 0) return granted;
  const { permissions, unknown } = readPermissions(asked);
  const common = commonPermissions(granted, permissions);
  const missing = Object.entries(permissions).some(
    ([name, level]) => Object.entries(common).find(([each]) => each === name)?.[1] !== level,
  );
  if (unknown.length > 0 || missing) {
    return refuse({
      kind: 'unprocessable',
      message: 'The permissions requested are not granted to this installation.',
    });
  }
  // Every token may read metadata.
  return { metadata: 'read', ...common };
}

async function narrowRepositories(
  sql: Sql,
  installation: Installation,
  asked: { readonly names: readonly string[]; readonly ids: readonly number[] },
): Promise<number[]> {
  // GitHub's minimum: an empty list is no way to ask for everything.
  if (asked.names.length + asked.ids.length === 0) {
    return refuse({ kind: 'unprocessable', message: 'Name at least one repository.' });
  }
  const owned = await repositoriesOfAccount(sql, installation.account.id, asked);
  const selected =
    installation.repositorySelection === 'all'
      ? undefined
      : await selectedRepositories(sql, installation.id);
  const found = owned.filter(({ id }) => selected?.has(id) ?? true);
  const complete =
    asked.names.every((name) => found.some(({ nameKey }) => nameKey === name)) &&
    asked.ids.every((id) => found.some((each) => each.id === id));
  if (!complete) {
    return refuse({
      kind: 'unprocessable',
      message:
        'There is at least one repository that does not exist or is not accessible to the parent installation.',
    });
  }
  return found.map(({ id }) => id);
}
