import Type from 'typebox';

import { mayAdminister, type RepositoryAccess } from '../../repositories/repository-access.ts';
import { type EndpointRequest, repositoryEndpoint } from '../../routing/endpoint.ts';
import type { Json } from '../../json/json-values.ts';
import { ok } from '../../http/reply.ts';
import type { Ports } from '../../ports/ports.ts';
import { changePart, describePart, type ProtectionContext } from '../change-protection.ts';
import { changedList, type ListChange, requiredChecks } from '../protection-parts.ts';
import { maySeeRules } from '../read-protection.ts';
import { fittingContexts } from '../protection-input.ts';

const path = '/repos/:owner/:repo/branches/:branch/protection/required_status_checks/contexts';

const changing = {
  path,
  need: mayAdminister,
  // Older clients send the list itself.
  arrayMember: 'contexts',
  body: Type.Object({ contexts: Type.Array(Type.String()) }),
} as const;

const describe = ({ rules }: ProtectionContext): readonly string[] =>
  requiredChecks(rules).contexts;

export const listStatusCheckContexts = repositoryEndpoint({
  operation: 'repos/get-all-status-check-contexts',
  method: 'GET',
  path,
  docs: 'repos#get-all-status-check-contexts',
  need: maySeeRules,
  cacheable: true,
  async handle(request, access, ports) {
    return ok(await describePart(ports, access, request, describe));
  },
});

export const addStatusCheckContexts = repositoryEndpoint({
  ...changing,
  operation: 'repos/add-status-check-contexts',
  method: 'POST',
  docs: 'repos#add-status-check-contexts',
  async handle(request, access, ports) {
    return ok(await changeContexts(ports, access, request, 'add'));
  },
});

export const setStatusCheckContexts = repositoryEndpoint({
  ...changing,
  operation: 'repos/set-status-check-contexts',
  method: 'PUT',
  docs: 'repos#set-status-check-contexts',
  async handle(request, access, ports) {
    return ok(await changeContexts(ports, access, request, 'set'));
  },
});

export const removeStatusCheckContexts = repositoryEndpoint({
  ...changing,
  operation: 'repos/remove-status-check-contexts',
  method: 'DELETE',
  docs: 'repos#remove-status-check-contexts',
  async handle(request, access, ports) {
    return ok(await changeContexts(ports, access, request, 'remove'));
  },
});

function changeContexts(
  ports: Ports,
  access: RepositoryAccess,
  request: EndpointRequest<typeof path, { contexts: string[] }>,
  change: ListChange,
): Promise<Json> {
  return changePart(
    ports,
    access,
    request,
    (_sql, rules) => {
      const before = requiredChecks(rules);
      const contexts = changedList(before.contexts, change, request.body.contexts);
      return { ...rules, statusChecks: { ...before, contexts: fittingContexts(contexts) } };
    },
    describe,
  );
}
