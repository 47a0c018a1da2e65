import Type from 'typebox';

import { representAccount } from '../accounts/account-json.ts';
import { noContent, ok } from '../http/reply.ts';
import type { Json } from '../json/json-values.ts';
import type { Urls } from '../json/urls.ts';
import type { Ports } from '../ports/ports.ts';
import { mayAdminister, type RepositoryAccess } from '../repositories/repository-access.ts';
import { repositoryEndpoint, type EndpointRequest, type Endpoint } from '../routing/endpoint.ts';
import { representTeam } from '../teams/team-json.ts';
import {
  changePart,
  describePart,
  type ProtectionContext,
  requiredPushers,
  changedList,
  type ListChange,
} from './change-protection.ts';
import { representRestrictions } from './protection-json.ts';
import { pushersOf, refuseTooMany } from './push-allow-list.ts';
import { maySeeRules } from './read-protection.ts';

const restrictionsPath = '/repos/:owner/:repo/branches/:branch/protection/restrictions';

const usersPath = '/repos/:owner/:repo/branches/:branch/protection/restrictions/users';

const changingUsers = {
  path: usersPath,
  policy: mayAdminister,
  // Older clients send the list itself.
  arrayMember: 'users',
  body: Type.Object({ users: Type.Array(Type.String()) }),
} as const;

const teamsPath = '/repos/:owner/:repo/branches/:branch/protection/restrictions/teams';

const changingTeams = {
  path: teamsPath,
  policy: mayAdminister,
  // Older clients send the list itself.
  arrayMember: 'teams',
  body: Type.Object({ teams: Type.Array(Type.String()) }),
} as const;

/** Who may push to a protected branch: users, teams and apps. */
export const restrictionRoutes: readonly Endpoint[] = [
  repositoryEndpoint({
    operation: 'repos/get-access-restrictions',
    method: 'GET',
    path: restrictionsPath,
    docs: 'repos#get-access-restrictions',
    policy: maySeeRules,
    cacheable: true,
    async handle(request, access, ports) {
      const representation = await describePart(ports, access, request, (context) => {
        requiredPushers(context.rules);
        return representRestrictions(context, context.url, request.urls);
      });
      return ok(representation);
    },
  }),

  repositoryEndpoint({
    operation: 'repos/delete-access-restrictions',
    method: 'DELETE',
    path: restrictionsPath,
    docs: 'repos#delete-access-restrictions',
    policy: mayAdminister,
    async handle(request, access, ports) {
      await changePart(ports, access, request, (_sql, rules) => {
        requiredPushers(rules);
        return { ...rules, pushers: undefined };
      });
      return noContent();
    },
  }),

  /** There are no apps that could push. */
  repositoryEndpoint({
    operation: 'repos/get-apps-with-access-to-protected-branch',
    method: 'GET',
    path: `${restrictionsPath}/apps`,
    docs: 'repos#list-apps-with-access-to-the-protected-branch',
    policy: maySeeRules,
    cacheable: true,
    async handle(request, access, ports) {
      const representation = await describePart(ports, access, request, ({ rules }) => {
        requiredPushers(rules);
        return [];
      });
      return ok(representation);
    },
  }),

  repositoryEndpoint({
    operation: 'repos/get-users-with-access-to-protected-branch',
    method: 'GET',
    path: usersPath,
    docs: 'repos#list-users-with-access-to-the-protected-branch',
    policy: maySeeRules,
    cacheable: true,
    async handle(request, access, ports) {
      return ok(await describePart(ports, access, request, describeUsers(request.urls)));
    },
  }),

  repositoryEndpoint({
    ...changingUsers,
    operation: 'repos/add-user-access-restrictions',
    method: 'POST',
    docs: 'repos#add-user-access-restrictions',
    async handle(request, access, ports) {
      return ok(await changeUsers(ports, access, request, 'add'));
    },
  }),

  repositoryEndpoint({
    ...changingUsers,
    operation: 'repos/set-user-access-restrictions',
    method: 'PUT',
    docs: 'repos#set-user-access-restrictions',
    async handle(request, access, ports) {
      return ok(await changeUsers(ports, access, request, 'set'));
    },
  }),

  repositoryEndpoint({
    ...changingUsers,
    operation: 'repos/remove-user-access-restrictions',
    method: 'DELETE',
    docs: 'repos#remove-user-access-restrictions',
    async handle(request, access, ports) {
      return ok(await changeUsers(ports, access, request, 'remove'));
    },
  }),

  repositoryEndpoint({
    operation: 'repos/get-teams-with-access-to-protected-branch',
    method: 'GET',
    path: teamsPath,
    docs: 'repos#list-teams-with-access-to-the-protected-branch',
    policy: maySeeRules,
    cacheable: true,
    async handle(request, access, ports) {
      return ok(await describePart(ports, access, request, describeTeams(request.urls)));
    },
  }),

  repositoryEndpoint({
    ...changingTeams,
    operation: 'repos/add-team-access-restrictions',
    method: 'POST',
    docs: 'repos#add-team-access-restrictions',
    async handle(request, access, ports) {
      return ok(await changeTeams(ports, access, request, 'add'));
    },
  }),

  repositoryEndpoint({
    ...changingTeams,
    operation: 'repos/set-team-access-restrictions',
    method: 'PUT',
    docs: 'repos#set-team-access-restrictions',
    async handle(request, access, ports) {
      return ok(await changeTeams(ports, access, request, 'set'));
    },
  }),

  repositoryEndpoint({
    ...changingTeams,
    operation: 'repos/remove-team-access-restrictions',
    method: 'DELETE',
    docs: 'repos#remove-team-access-restrictions',
    async handle(request, access, ports) {
      return ok(await changeTeams(ports, access, request, 'remove'));
    },
  }),
];

function changeUsers(
  ports: Ports,
  access: RepositoryAccess,
  request: EndpointRequest<typeof usersPath, { users: string[] }>,
  change: ListChange,
): Promise<Json> {
  const named = { users: request.body.users, teams: [] };
  return changePart(
    ports,
    access,
    request,
    async (sql, rules) => {
      const before = requiredPushers(rules);
      const { users } = await pushersOf(sql, access.repository, named);
      const pushers = { ...before, users: changedList(before.users, change, users) };
      refuseTooMany(pushers);
      return { ...rules, pushers };
    },
    describeUsers(request.urls),
  );
}

function describeUsers(urls: Urls): (context: ProtectionContext) => Json {
  return ({ rules, users }) => {
    requiredPushers(rules);
    return users.map((user) => representAccount(user, urls));
  };
}

function changeTeams(
  ports: Ports,
  access: RepositoryAccess,
  request: EndpointRequest<typeof teamsPath, { teams: string[] }>,
  change: ListChange,
): Promise<Json> {
  const named = { users: [], teams: request.body.teams };
  return changePart(
    ports,
    access,
    request,
    async (sql, rules) => {
      const before = requiredPushers(rules);
      const { teams } = await pushersOf(sql, access.repository, named);
      const pushers = { ...before, teams: changedList(before.teams, change, teams) };
      refuseTooMany(pushers);
      return { ...rules, pushers };
    },
    describeTeams(request.urls),
  );
}

function describeTeams(urls: Urls): (context: ProtectionContext) => Json {
  return ({ rules, teams }) => {
    requiredPushers(rules);
    return teams.map((team) => representTeam(team, urls));
  };
}
