import Type from 'typebox';

import { accountsById, findAccount } from '../accounts/account-store.ts';
import { getUser } from '../accounts/organization-access.ts';
import { notFound } from '../errors/api-error.ts';
import { emitEvent } from '../events/event-outbox-store.ts';
import { writeRepository } from '../events/invalidate.ts';
import { page as pageResult, noContent, created, ok } from '../http/endpoint-result.ts';
import { stringEnum, readQuery } from '../http/schemas.ts';
import { addCollaborator } from '../invitations/add-collaborator.ts';
import { partiesOf, representInvitation } from '../invitations/invitation-json.ts';
import { callerAccountId } from '../model/caller.ts';
import {
  collaboratorAffiliations,
  listCollaborators,
  isCollaborator,
  removeCollaborator,
} from '../repositories/collaborator-store.ts';
import {
  mayAdminister,
  accountPermissionIn,
  type RepositoryPolicy,
} from '../repositories/repository-access.ts';
import { repositoryEndpoint, type Endpoint } from '../routing/endpoint.ts';
import { representCollaborator, representPermission } from './collaborator-json.ts';
import { readRequestedPermission } from './permission-input.ts';

const parameters = Type.Object({
  affiliation: Type.Optional(stringEnum(collaboratorAffiliations)),
});

/**
 * Only users with push permission may list collaborators, even of a public repository: like a write, this needs a scope of
 * the token, but archived repositories allow it.
 */
const pushersMaySee = { permission: 'write', changes: true, evenArchived: true } as const;

const mayListCollaborators: RepositoryPolicy = {
  ...pushersMaySee,
  refusal: 'Must have push access to view repository collaborators.',
};

const maySeePermissions: RepositoryPolicy = {
  ...pushersMaySee,
  refusal: 'Must have push access to view collaborator permission.',
};

/** Collaborators of a repository and their permission. */
export const collaboratorRoutes: readonly Endpoint[] = [
  repositoryEndpoint({
    operation: 'repos/list-collaborators',
    method: 'GET',
    path: '/repos/:owner/:repo/collaborators',
    docs: 'repos#list-repository-collaborators',
    policy: mayListCollaborators,
    async handle({ query, page, urls }, { repository }, { database }) {
      const { affiliation = 'all' } = readQuery(parameters, query, { resource: 'Repository' });
      const { collaborators, total } = await database.read((sql) =>
        listCollaborators(sql, repository, affiliation, page),
      );
      return pageResult(
        collaborators.map((collaborator) => representCollaborator(collaborator, urls)),
        total,
      );
    },
  }),

  repositoryEndpoint({
    operation: 'repos/check-collaborator',
    method: 'GET',
    path: '/repos/:owner/:repo/collaborators/:username',
    docs: 'repos#check-if-a-user-is-a-repository-collaborator',
    policy: mayListCollaborators,
    async handle({ path }, { repository }, { database }) {
      const found = await database.read(async (sql) => {
        const { id } = await getUser(sql, path.username);
        return isCollaborator(sql, repository, id);
      });
      return found ? noContent() : notFound();
    },
  }),

  repositoryEndpoint({
    operation: 'repos/add-collaborator',
    method: 'PUT',
    path: '/repos/:owner/:repo/collaborators/:username',
    docs: 'repos#add-a-repository-collaborator',
    policy: mayAdminister,
    // The schema accepts any value, because GitHub has a special message for invalid ones.
    body: Type.Object({ permission: Type.Optional(Type.Unknown()) }),
    async handle({ path, body, caller, urls, now }, { repository }, { database }) {
      const account = await database.read((sql) => findAccount(sql, path.username));
      const addition = await addCollaborator(database, {
        repository,
        account: account && account.kind !== 'bot' ? account : notFound(),
        inviter: caller.account,
        permission: readRequestedPermission(body.permission),
        now,
      });
      if (addition.kind === 'added') return noContent();
      const { invitation } = addition;
      const parties = await database.read((sql) => accountsById(sql, partiesOf([invitation])));
      return created(
        representInvitation(invitation, repository, parties, urls, now),
        urls.invitation(invitation.id),
      );
    },
  }),

  repositoryEndpoint({
    operation: 'repos/remove-collaborator',
    method: 'DELETE',
    path: '/repos/:owner/:repo/collaborators/:username',
    docs: 'repos#remove-a-repository-collaborator',
    policy: mayAdminister,
    async handle({ path, caller, now }, { repository }, { database }) {
      await writeRepository(database, repository.id, async (sql) => {
        const { id } = await getUser(sql, path.username);
        if (!(await removeCollaborator(sql, repository.id, id))) return;
        const actorId = callerAccountId(caller);
        const event = { event: 'member', action: 'removed', memberId: id, actorId } as const;
        await emitEvent(sql, repository.id, event, now);
      });
      return noContent();
    },
  }),

  /** Responds for any user; without access the permission is `none`. */
  repositoryEndpoint({
    operation: 'repos/get-collaborator-permission-level',
    method: 'GET',
    path: '/repos/:owner/:repo/collaborators/:username/permission',
    docs: 'repos#get-repository-permissions-for-a-user',
    policy: maySeePermissions,
    async handle({ path, urls }, { repository }, { database }) {
      const { account, permission } = await database.read(async (sql) => {
        const named = await getUser(sql, path.username);
        return {
          account: named,
          permission: await accountPermissionIn(sql, named.id, repository.id),
        };
      });
      return ok(representPermission(account, permission, urls));
    },
  }),
];
