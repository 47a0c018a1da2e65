import Type from 'typebox';

import { mayAdminister, type RepositoryAccess } from '../../repositories/repository-access.ts';
import { representAccount } from '../../accounts/account-json.ts';
import { type EndpointRequest, repositoryEndpoint } from '../../routing/endpoint.ts';
import type { Json } from '../../json/json-values.ts';
import { ok } from '../../http/reply.ts';
import type { Ports } from '../../ports/ports.ts';
import type { Urls } from '../../json/urls.ts';
import { changePart, describePart, type ProtectionContext } from '../change-protection.ts';
import { pushersOf, refuseTooMany } from '../push-allow-list.ts';
import { changedList, type ListChange, requiredPushers } from '../protection-parts.ts';
import { maySeeRules } from '../read-protection.ts';

const path = '/repos/:owner/:repo/branches/:branch/protection/restrictions/users';

const changing = {
  path,
  need: mayAdminister,
  // Older clients send the list itself.
  arrayMember: 'users',
  body: Type.Object({ users: Type.Array(Type.String()) }),
} as const;

export const listRestrictedUsers = repositoryEndpoint({
  operation: 'repos/get-users-with-access-to-protected-branch',
  method: 'GET',
  path,
  docs: 'repos#list-users-with-access-to-the-protected-branch',
  need: maySeeRules,
  cacheable: true,
  async handle(request, access, ports) {
    return ok(await describePart(ports, access, request, describeIn(request.urls)));
  },
});

export const addRestrictedUsers = repositoryEndpoint({
  ...changing,
  operation: 'repos/add-user-access-restrictions',
  method: 'POST',
  docs: 'repos#add-user-access-restrictions',
  async handle(request, access, ports) {
    return ok(await changeUsers(ports, access, request, 'add'));
  },
});

export const setRestrictedUsers = repositoryEndpoint({
  ...changing,
  operation: 'repos/set-user-access-restrictions',
  method: 'PUT',
  docs: 'repos#set-user-access-restrictions',
  async handle(request, access, ports) {
    return ok(await changeUsers(ports, access, request, 'set'));
  },
});

export const removeRestrictedUsers = repositoryEndpoint({
  ...changing,
  operation: 'repos/remove-user-access-restrictions',
  method: 'DELETE',
  docs: 'repos#remove-user-access-restrictions',
  async handle(request, access, ports) {
    return ok(await changeUsers(ports, access, request, 'remove'));
  },
});

function changeUsers(
  ports: Ports,
  access: RepositoryAccess,
  request: EndpointRequest<typeof path, { users: string[] }>,
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
    describeIn(request.urls),
  );
}

function describeIn(urls: Urls): (scene: ProtectionContext) => Json {
  return ({ rules, users }) => {
    requiredPushers(rules);
    return users.map((user) => representAccount(user, urls));
  };
}
