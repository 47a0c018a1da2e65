import Type from 'typebox';

import { noContent, ok } from '../http/endpoint-result.ts';
import type { Json } from '../json/json-values.ts';
import type { Ports } from '../ports/ports.ts';
import { mayAdminister, type RepositoryAccess } from '../repositories/repository-access.ts';
import { repositoryEndpoint, type EndpointRequest, type Endpoint } from '../routing/endpoint.ts';
import {
  changePart,
  describePart,
  type ProtectionContext,
  getStatusChecks,
  changedList,
  type ListChange,
} from './change-protection.ts';
import { checksProperties, checksOfBody, fittingChecks, withContexts } from './protection-input.ts';
import { representStatusChecks } from './protection-json.ts';
import { contextsOf } from './protection-rules.ts';
import { maySeeRules } from './read-protection.ts';

const checksPath = '/repos/:owner/:repo/branches/:branch/protection/required_status_checks';

const describeChecks = ({
  rules,
  url,
}: ProtectionContext): ReturnType<typeof representStatusChecks> =>
  representStatusChecks(rules, getStatusChecks(rules), url);

const contextsPath =
  '/repos/:owner/:repo/branches/:branch/protection/required_status_checks/contexts';

const changingContexts = {
  path: contextsPath,
  policy: mayAdminister,
  // Older clients send the list itself.
  arrayField: 'contexts',
  body: Type.Object({ contexts: Type.Array(Type.String()) }),
} as const;

const describeContexts = ({ rules }: ProtectionContext): readonly string[] =>
  contextsOf(getStatusChecks(rules).checks);

/** The status checks that a protected branch requires, and their contexts. */
export const statusCheckRoutes: readonly Endpoint[] = [
  repositoryEndpoint({
    operation: 'repos/get-status-checks-protection',
    method: 'GET',
    path: checksPath,
    docs: 'repos#get-status-checks-protection',
    policy: maySeeRules,
    cacheable: true,
    async handle(request, access, ports) {
      return ok(await describePart(ports, access, request, describeChecks));
    },
  }),

  /** Demands statuses where none were demanded; what the body leaves out stays. */
  repositoryEndpoint({
    operation: 'repos/update-status-check-protection',
    method: 'PATCH',
    path: checksPath,
    docs: 'repos#update-status-check-protection',
    policy: mayAdminister,
    body: Type.Object({ strict: Type.Optional(Type.Boolean()), ...checksProperties }),
    async handle(request, access, ports) {
      const { strict, ...lists } = request.body;
      const { repository } = access;
      const representation = await changePart(
        ports,
        access,
        request,
        async (sql, rules) => ({
          ...rules,
          statusChecks: {
            strict: strict ?? rules.statusChecks?.strict ?? false,
            checks:
              lists.contexts || lists.checks
                ? await checksOfBody(sql, repository, lists)
                : (rules.statusChecks?.checks ?? []),
          },
        }),
        describeChecks,
      );
      return ok(representation);
    },
  }),

  repositoryEndpoint({
    operation: 'repos/remove-status-check-protection',
    method: 'DELETE',
    path: checksPath,
    docs: 'repos#remove-status-check-protection',
    policy: mayAdminister,
    async handle(request, access, ports) {
      await changePart(ports, access, request, (_sql, rules) => {
        getStatusChecks(rules);
        return { ...rules, statusChecks: undefined };
      });
      return noContent();
    },
  }),

  repositoryEndpoint({
    operation: 'repos/get-all-status-check-contexts',
    method: 'GET',
    path: contextsPath,
    docs: 'repos#get-all-status-check-contexts',
    policy: maySeeRules,
    cacheable: true,
    async handle(request, access, ports) {
      return ok(await describePart(ports, access, request, describeContexts));
    },
  }),

  repositoryEndpoint({
    ...changingContexts,
    operation: 'repos/add-status-check-contexts',
    method: 'POST',
    docs: 'repos#add-status-check-contexts',
    async handle(request, access, ports) {
      return ok(await changeContexts(ports, access, request, 'add'));
    },
  }),

  repositoryEndpoint({
    ...changingContexts,
    operation: 'repos/set-status-check-contexts',
    method: 'PUT',
    docs: 'repos#set-status-check-contexts',
    async handle(request, access, ports) {
      return ok(await changeContexts(ports, access, request, 'set'));
    },
  }),

  repositoryEndpoint({
    ...changingContexts,
    operation: 'repos/remove-status-check-contexts',
    method: 'DELETE',
    docs: 'repos#remove-status-check-contexts',
    async handle(request, access, ports) {
      return ok(await changeContexts(ports, access, request, 'remove'));
    },
  }),
];

function changeContexts(
  ports: Ports,
  access: RepositoryAccess,
  request: EndpointRequest<typeof contextsPath, { contexts: string[] }>,
  change: ListChange,
): Promise<Json> {
  return changePart(
    ports,
    access,
    request,
    (_sql, rules) => {
      const before = getStatusChecks(rules);
      const contexts = changedList(contextsOf(before.checks), change, request.body.contexts);
      // Contexts that stay are those of the same Apps as before.
      const stay = before.checks.filter(({ context }) => contexts.includes(context));
      const checks = fittingChecks(withContexts(stay, contexts));
      return { ...rules, statusChecks: { ...before, checks } };
    },
    describeContexts,
  );
}
