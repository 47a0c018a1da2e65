import Type from 'typebox';

import { representAccount } from '../accounts/account-json.ts';
import { noContent, ok } from '../http/endpoint-result.ts';
import type { Json } from '../json/json-values.ts';
import type { Urls } from '../json/urls.ts';
import { mayAdminister } from '../repositories/repository-access.ts';
import { repositoryEndpoint, type Endpoint } from '../routing/endpoint.ts';
import { representTeam } from '../teams/team-json.ts';
import {
  changePart,
  describePart,
  type ProtectionContext,
  getPushers,
  changedList,
  type ListChange,
} from './change-protection.ts';
import { representRestrictions } from './protection-json.ts';
import { pushersOf, refuseTooManyPushers } from './push-allow-list.ts';
import type { Pushers } from './protection-rules.ts';
import { maySeeRules } from './read-protection.ts';

const restrictionsPath = '/repos/:owner/:repo/branches/:branch/protection/restrictions';

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
        getPushers(context.rules);
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
        getPushers(rules);
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
        getPushers(rules);
        return [];
      });
      return ok(representation);
    },
  }),

  ...pusherRoutes({
    field: 'users',
    list: 'repos/get-users-with-access-to-protected-branch',
    docs: 'repos#list-users-with-access-to-the-protected-branch',
    add: 'repos/add-user-access-restrictions',
    set: 'repos/set-user-access-restrictions',
    remove: 'repos/remove-user-access-restrictions',
  }),

  ...pusherRoutes({
    field: 'teams',
    list: 'repos/get-teams-with-access-to-protected-branch',
    docs: 'repos#list-teams-with-access-to-the-protected-branch',
    add: 'repos/add-team-access-restrictions',
    set: 'repos/set-team-access-restrictions',
    remove: 'repos/remove-team-access-restrictions',
  }),
];

/** The operations on the users that may push, or on the teams. */
interface PusherOperations extends Readonly<Record<'list' | ListChange, `repos/${string}`>> {
  readonly field: keyof Pushers;
  /** The documentation of `list`. */
  readonly docs: string;
}

function pusherRoutes(operations: PusherOperations): Endpoint[] {
  const { field } = operations;
  const path = `${restrictionsPath}/${field}` as const;
  const describePushers =
    (urls: Urls) =>
    ({ rules, users, teams }: ProtectionContext): Json => {
      getPushers(rules);
      return field === 'users'
        ? users.map((user) => representAccount(user, urls))
        : teams.map((team) => representTeam(team, urls));
    };
  const changing = (change: ListChange, method: 'POST' | 'PUT' | 'DELETE') =>
    repositoryEndpoint({
      operation: operations[change],
      method,
      path,
      docs: operations[change].replace('/', '#'),
      policy: mayAdminister,
      // Older clients send the list itself.
      arrayField: field,
      body: Type.Object({ [field]: Type.Array(Type.String()) }),
      async handle(request, access, ports) {
        const named = { users: [], teams: [], [field]: request.body[field] };
        const representation = await changePart(
          ports,
          access,
          request,
          async (sql, rules) => {
            const before = getPushers(rules);
            const found = await pushersOf(sql, access.repository, named);
            const pushers = {
              ...before,
              [field]: changedList(before[field], change, found[field]),
            };
            refuseTooManyPushers(pushers);
            return { ...rules, pushers };
          },
          describePushers(request.urls),
        );
        return ok(representation);
      },
    });
  return [
    repositoryEndpoint({
      operation: operations.list,
      method: 'GET',
      path,
      docs: operations.docs,
      policy: maySeeRules,
      cacheable: true,
      async handle(request, access, ports) {
        return ok(await describePart(ports, access, request, describePushers(request.urls)));
      },
    }),
    changing('add', 'POST'),
    changing('set', 'PUT'),
    changing('remove', 'DELETE'),
  ];
}
