import Type from 'typebox';

import { mayAdminister, type RepositoryAccess } from '../../repositories/repository-access.ts';
import { type EndpointRequest, repositoryEndpoint } from '../../routing/endpoint.ts';
import type { Json } from '../../json/json-values.ts';
import { ok } from '../../http/reply.ts';
import type { Ports } from '../../ports/ports.ts';
import { representTeam } from '../../teams/team-json.ts';
import type { Urls } from '../../json/urls.ts';
import { changePart, describePart, type ProtectionContext } from '../change-protection.ts';
import { pushersOf, refuseTooMany } from '../push-allow-list.ts';
import { changedList, type ListChange, requiredPushers } from '../protection-parts.ts';
import { maySeeRules } from '../read-protection.ts';

const path = '/repos/:owner/:repo/branches/:branch/protection/restrictions/teams';

const changing = {
  path,
  need: mayAdminister,
  // Older clients send the list itself.
  arrayMember: 'teams',
  body: Type.Object({ teams: Type.Array(Type.String()) }),
} as const;

export const listRestrictedTeams = repositoryEndpoint({
  operation: 'repos/get-teams-with-access-to-protected-branch',
  method: 'GET',
  path,
  docs: 'repos#list-teams-with-access-to-the-protected-branch',
  need: maySeeRules,
  cacheable: true,
  async handle(request, access, ports) {
    return ok(await describePart(ports, access, request, describeIn(request.urls)));
  },
});

export const addRestrictedTeams = repositoryEndpoint({
  ...changing,
  operation: 'repos/add-team-access-restrictions',
  method: 'POST',
  docs: 'repos#add-team-access-restrictions',
  async handle(request, access, ports) {
    return ok(await changeTeams(ports, access, request, 'add'));
  },
});

export const setRestrictedTeams = repositoryEndpoint({
  ...changing,
  operation: 'repos/set-team-access-restrictions',
  method: 'PUT',
  docs: 'repos#set-team-access-restrictions',
  async handle(request, access, ports) {
    return ok(await changeTeams(ports, access, request, 'set'));
  },
});

export const removeRestrictedTeams = repositoryEndpoint({
  ...changing,
  operation: 'repos/remove-team-access-restrictions',
  method: 'DELETE',
  docs: 'repos#remove-team-access-restrictions',
  async handle(request, access, ports) {
    return ok(await changeTeams(ports, access, request, 'remove'));
  },
});

function changeTeams(
  ports: Ports,
  access: RepositoryAccess,
  request: EndpointRequest<typeof path, { teams: string[] }>,
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
    describeIn(request.urls),
  );
}

function describeIn(urls: Urls): (scene: ProtectionContext) => Json {
  return ({ rules, teams }) => {
    requiredPushers(rules);
    return teams.map((team) => representTeam(team, urls));
  };
}
