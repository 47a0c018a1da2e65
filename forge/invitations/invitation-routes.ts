import Type from 'typebox';

import { accountsById } from '../accounts/account-store.ts';
import { invalid, notFound } from '../errors/api-error.ts';
import { page as pageResult, ok, noContent } from '../http/endpoint-result.ts';
import { offeredPermissions } from '../model/invitation.ts';
import { repositoryQueue } from '../model/repository.ts';
import { mayAdminister, type ChangePolicy } from '../repositories/repository-access.ts';
import { repositoriesById } from '../repositories/repository-store.ts';
import { repositoryEndpoint, userEndpoint, type Endpoint } from '../routing/endpoint.ts';
import { acceptInvitation, inviteeScopes, visibleRepositories } from './accept-invitation.ts';
import { partiesOf, representInvitation } from './invitation-json.ts';
import {
  listForRepository,
  findInRepository,
  offer,
  removeInvitation,
  listForInvitee,
  findForInvitee,
} from './invitation-store.ts';

/** Access to invitations without access to code (docs/specification/forge.md 3.5). */
const mayChangeInvitations: ChangePolicy = { ...mayAdminister, scopes: ['repo:invite'] };

/** Like a write, reading needs a scope of the token, but archived repositories allow it. */
const mayListInvitations: ChangePolicy = { ...mayChangeInvitations, evenArchived: true };

/** Repository invitations, for those who invite and for those who are invited. */
export const invitationRoutes: readonly Endpoint[] = [
  repositoryEndpoint({
    operation: 'repos/list-invitations',
    method: 'GET',
    path: '/repos/:owner/:repo/invitations',
    docs: 'repos#list-repository-invitations',
    policy: mayListInvitations,
    async handle({ page, urls, now }, { repository }, { database }) {
      const { invitations, total, accounts } = await database.read(async (sql) => {
        const found = await listForRepository(sql, repository.id, page);
        return { ...found, accounts: await accountsById(sql, partiesOf(found.invitations)) };
      });
      const items = invitations.map((invitation) =>
        representInvitation(invitation, repository, accounts, urls, now),
      );
      return pageResult(items, total);
    },
  }),

  repositoryEndpoint({
    operation: 'repos/update-invitation',
    method: 'PATCH',
    path: '/repos/:owner/:repo/invitations/:invitation_id',
    docs: 'repos#update-a-repository-invitation',
    policy: mayChangeInvitations,
    body: Type.Object({ permissions: Type.Optional(Type.String()) }),
    async handle({ path, body, urls, now }, { repository }, { database }) {
      const requested = body.permissions;
      const permission = offeredPermissions.find((known) => known === requested);
      if (requested !== undefined && permission === undefined) {
        invalid({ resource: 'RepositoryInvitation', field: 'permissions', code: 'invalid' });
      }
      const { invitation, accounts } = await database.write(
        async (sql) => {
          const found =
            (await findInRepository(sql, path.invitation_id, repository.id)) ?? notFound();
          return {
            invitation: permission ? await offer(sql, found, permission) : found,
            accounts: await accountsById(sql, partiesOf([found])),
          };
        },
        { queue: repositoryQueue(repository.id) },
      );
      return ok(representInvitation(invitation, repository, accounts, urls, now));
    },
  }),

  repositoryEndpoint({
    operation: 'repos/delete-invitation',
    method: 'DELETE',
    path: '/repos/:owner/:repo/invitations/:invitation_id',
    docs: 'repos#delete-a-repository-invitation',
    policy: mayChangeInvitations,
    async handle({ path }, { repository }, { database }) {
      await database.write(
        async (sql) => {
          const found = await findInRepository(sql, path.invitation_id, repository.id);
          if (!found || !(await removeInvitation(sql, found))) notFound();
        },
        { queue: repositoryQueue(repository.id) },
      );
      return noContent();
    },
  }),

  userEndpoint({
    operation: 'repos/list-invitations-for-authenticated-user',
    method: 'GET',
    path: '/user/repository_invitations',
    docs: 'repos#list-repository-invitations-for-the-authenticated-user',
    acceptedScopes: 'public_repo, repo, repo:invite',
    scopes: inviteeScopes,
    async handle({ caller, page, urls, now }, { database }) {
      const visible = visibleRepositories(caller);
      const { invitations, total, repositories, accounts } = await database.read(async (sql) => {
        const found = await listForInvitee(sql, caller.account.id, visible, page);
        const ids = found.invitations.map((invitation) => invitation.repositoryId);
        return {
          ...found,
          repositories: await repositoriesById(sql, ids),
          accounts: await accountsById(sql, partiesOf(found.invitations)),
        };
      });
      const items = invitations.map((invitation) => {
        const repository = repositories.get(invitation.repositoryId);
        if (!repository)
          throw new Error(`invitation ${invitation.id} is to a repository that is not there`);
        return representInvitation(invitation, repository, accounts, urls, now);
      });
      return pageResult(items, total);
    },
  }),

  userEndpoint({
    operation: 'repos/accept-invitation',
    method: 'PATCH',
    path: '/user/repository_invitations/:invitation_id',
    docs: 'repos#accept-a-repository-invitation',
    acceptedScopes: 'public_repo, repo, repo:invite',
    scopes: inviteeScopes,
    async handle({ path, caller, now }, { database }) {
      await acceptInvitation(database, path.invitation_id, caller, now);
      return noContent();
    },
  }),

  userEndpoint({
    operation: 'repos/decline-invitation',
    method: 'DELETE',
    path: '/user/repository_invitations/:invitation_id',
    docs: 'repos#decline-a-repository-invitation',
    acceptedScopes: 'public_repo, repo, repo:invite',
    scopes: inviteeScopes,
    async handle({ path, caller }, { database }) {
      const visible = visibleRepositories(caller);
      await database.write(async (sql) => {
        const found = await findForInvitee(sql, path.invitation_id, caller.account.id, visible);
        if (!found || !(await removeInvitation(sql, found))) notFound();
      });
      return noContent();
    },
  }),
];
