import Type from 'typebox';

import { findAccount } from '../accounts/account-store.ts';
import { notFound, refuse, invalid } from '../errors/api-error.ts';
import { emitEvent } from '../events/event-outbox-store.ts';
import { writeRepository } from '../events/invalidate.ts';
import { ok, created, noContent, accepted } from '../http/endpoint-result.ts';
import { callerAccountId } from '../model/caller.ts';
import { fullName } from '../model/repository.ts';
import { holdsAny } from '../model/scopes.ts';
import { editRepository } from '../ref-updates/edit-repository.ts';
import { repositoryEndpoint, userEndpoint, type Endpoint } from '../routing/endpoint.ts';
import { readCreateRepositoryInput, createRepositoryBody } from './create-repository-input.ts';
import { createRepository, requireMayCreateIn } from './create-repository.ts';
import { deleteRepository } from './delete-repository.ts';
import { describeRepository } from './describe-repository.ts';
import { dispatchRoutes } from './dispatch-routes.ts';
import { forkRoutes } from './fork-routes.ts';
import { generateRoutes } from './generate-routes.ts';
import { getRepository } from './get-repository.ts';
import { mayRead, adminRefusal, mayAdminister, type ChangePolicy } from './repository-access.ts';
import { repositorySettingsSchema, settingsOf, withoutAbsent } from './repository-input.ts';
import { representRepositoryFor } from './repository-json.ts';
import { repositoryListRoutes } from './repository-list-routes.ts';
import { readName } from './repository-name.ts';
import { setTopics } from './repository-store.ts';
import { transferRepository } from './transfer-repository.ts';

/** For editing and deleting: an archived repository can be unarchived and deleted. */
const mayManage: ChangePolicy = { ...mayAdminister, evenArchived: true };

/** Topics of a repository, 50 characters each. */
const topicsMax = 20;

/** Repositories. */
export const repositoryRoutes: readonly Endpoint[] = [
  repositoryEndpoint({
    operation: 'repos/get',
    method: 'GET',
    path: '/repos/:owner/:repo',
    docs: 'repos#get-a-repository',
    acceptedScopes: 'repo',
    policy: mayRead,
    cacheable: true,
    async handle({ caller, urls }, { repository, permission }, { database }) {
      const body = await database.read((sql) =>
        describeRepository(sql, repository, permission, caller, urls),
      );
      // What it shows of a template changes with another network.
      const cacheable = repository.templateId === null;
      return ok(body, { lastModified: repository.updatedAt, cacheable });
    },
  }),

  userEndpoint({
    operation: 'repos/create-for-authenticated-user',
    method: 'POST',
    path: '/user/repos',
    docs: 'repos#create-a-repository-for-the-authenticated-user',
    acceptedScopes: 'public_repo, repo',
    scopes: ['public_repo', 'repo'],
    body: createRepositoryBody,
    async handle(request, ports) {
      const { caller, urls } = request;
      const repository = await createRepository(
        ports,
        readCreateRepositoryInput(request, caller.account),
      );
      const body = await ports.database.read((sql) =>
        describeRepository(sql, repository, 'admin', caller, urls),
      );
      return created(body, urls.repository(fullName(repository)));
    },
  }),

  userEndpoint({
    operation: 'repos/create-in-org',
    method: 'POST',
    path: '/orgs/:org/repos',
    docs: 'repos#create-an-organization-repository',
    acceptedScopes: 'public_repo, repo',
    scopes: ['public_repo', 'repo'],
    body: createRepositoryBody,
    async handle(request, ports) {
      const { caller, urls } = request;
      const organization = await ports.database.read(async (sql) => {
        const found = await findAccount(sql, request.path.org);
        if (found?.kind !== 'organization') return notFound();
        await requireMayCreateIn(sql, caller.account, found);
        return found;
      });
      const repository = await createRepository(
        ports,
        readCreateRepositoryInput(request, organization),
      );
      const body = await ports.database.read((sql) =>
        describeRepository(sql, repository, 'admin', caller, urls),
      );
      return created(body, urls.repository(fullName(repository)));
    },
  }),

  repositoryEndpoint({
    operation: 'repos/update',
    method: 'PATCH',
    path: '/repos/:owner/:repo',
    docs: 'repos#update-a-repository',
    policy: mayManage,
    body: Type.Object({
      ...repositorySettingsSchema,
      name: Type.Optional(Type.String()),
      default_branch: Type.Optional(Type.String()),
      archived: Type.Optional(Type.Boolean()),
    }),
    async handle({ body, caller, now, urls }, { repository, permission }, ports) {
      const update = withoutAbsent({
        ...settingsOf(body),
        name: body.name === undefined ? undefined : readName(body.name),
        defaultBranch: body.default_branch,
        archived: body.archived,
      });
      const actorId = callerAccountId(caller);
      await editRepository(ports, repository, update, { actorId, now });
      return ports.database.read(async (sql) => {
        const changed = await getRepository(sql, repository.id);
        return ok(await describeRepository(sql, changed, permission, caller, urls));
      });
    },
  }),

  repositoryEndpoint({
    operation: 'repos/delete',
    method: 'DELETE',
    path: '/repos/:owner/:repo',
    docs: 'repos#delete-a-repository',
    acceptedScopes: 'delete_repo',
    policy: { ...mayManage, scopes: ['delete_repo'] },
    async handle({ caller, now }, { repository }, ports) {
      // The `repo` scope is not enough to delete a repository.
      if (caller.kind !== 'user' || !holdsAny(caller.scopes, ['delete_repo'])) {
        return refuse({ kind: 'forbidden', message: adminRefusal });
      }
      const actorId = caller.account.id;
      await deleteRepository(ports, repository, { actorId, now });
      return noContent();
    },
  }),

  repositoryEndpoint({
    operation: 'repos/transfer',
    method: 'POST',
    path: '/repos/:owner/:repo/transfer',
    docs: 'repos#transfer-a-repository',
    policy: mayAdminister,
    body: Type.Object({ new_owner: Type.String() }),
    async handle({ body, caller, now, urls }, { repository, permission }, { database }) {
      const { id: repositoryId } = repository;
      const input = { repositoryId, newOwner: body.new_owner, caller: caller.account, now };
      await transferRepository(database, input);
      return database.read(async (sql) => {
        const moved = await getRepository(sql, repositoryId);
        return accepted(representRepositoryFor(moved, permission, urls));
      });
    },
  }),

  repositoryEndpoint({
    operation: 'repos/get-all-topics',
    method: 'GET',
    path: '/repos/:owner/:repo/topics',
    docs: 'repos#get-all-repository-topics',
    policy: mayRead,
    cacheable: true,
    handle: async (_request, { repository }) => ok({ names: repository.topics }),
  }),

  repositoryEndpoint({
    operation: 'repos/replace-all-topics',
    method: 'PUT',
    path: '/repos/:owner/:repo/topics',
    docs: 'repos#replace-all-repository-topics',
    policy: mayAdminister,
    body: Type.Object({ names: Type.Array(Type.String()) }),
    async handle({ body, caller, now }, { repository }, { database }) {
      const topics = readTopics(body.names);
      await writeRepository(database, repository.id, async (sql) => {
        const { topics: from } = await getRepository(sql, repository.id);
        await setTopics(sql, repository.id, topics, now);
        if (from.join() === topics.join()) return;
        const actorId = callerAccountId(caller);
        const event = { event: 'repository', action: 'edited', actorId } as const;
        await emitEvent(sql, repository.id, { ...event, changes: { topics: { from } } }, now);
      });
      return ok({ names: topics });
    },
  }),

  ...repositoryListRoutes,

  ...forkRoutes,

  ...generateRoutes,
  ...dispatchRoutes,
];

/** Topics in lower case without duplicates, or a refusal. */
function readTopics(names: readonly string[]): string[] {
  const topics = [...new Set(names.map((name) => name.trim().toLowerCase()))];
  if (topics.length > topicsMax) {
    refuseTopics(`A repository cannot have more than ${topicsMax} topics.`);
  }
  if (topics.some((topic) => !/^[a-z0-9][a-z0-9-]{0,49}$/.test(topic))) {
    refuseTopics(
      'Topics must start with a lowercase letter or number, consist of 50 characters or less, and can include hyphens.',
    );
  }
  return topics;
}

function refuseTopics(message: string): void {
  invalid({ resource: 'Repository', field: 'topics', code: 'custom', message });
}
