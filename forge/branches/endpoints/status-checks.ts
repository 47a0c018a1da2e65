import Type from 'typebox';

import { mayAdminister } from '../../repositories/repository-access.ts';
import { repositoryEndpoint } from '../../routing/endpoint.ts';
import { noContent, ok } from '../../http/reply.ts';
import { changePart, describePart, type ProtectionContext } from '../change-protection.ts';
import { requiredChecks } from '../protection-parts.ts';
import { maySeeRules } from '../read-protection.ts';
import { representStatusChecks } from '../protection-json.ts';
import { fittingContexts } from '../protection-input.ts';

const path = '/repos/:owner/:repo/branches/:branch/protection/required_status_checks';

const describe = ({ rules, url }: ProtectionContext): ReturnType<typeof representStatusChecks> =>
  representStatusChecks(rules, requiredChecks(rules), url);

export const getStatusChecksProtection = repositoryEndpoint({
  operation: 'repos/get-status-checks-protection',
  method: 'GET',
  path,
  docs: 'repos#get-status-checks-protection',
  need: maySeeRules,
  cacheable: true,
  async handle(request, access, ports) {
    return ok(await describePart(ports, access, request, describe));
  },
});

/** Demands statuses where none were demanded; what the body leaves out stays. */
export const updateStatusChecksProtection = repositoryEndpoint({
  operation: 'repos/update-status-check-protection',
  method: 'PATCH',
  path,
  docs: 'repos#update-status-check-protection',
  need: mayAdminister,
  body: Type.Object({
    strict: Type.Optional(Type.Boolean()),
    contexts: Type.Optional(Type.Array(Type.String())),
  }),
  async handle(request, access, ports) {
    const { strict, contexts } = request.body;
    const described = await changePart(
      ports,
      access,
      request,
      (_sql, rules) => ({
        ...rules,
        statusChecks: {
          strict: strict ?? rules.statusChecks?.strict ?? false,
          contexts: fittingContexts(contexts ?? rules.statusChecks?.contexts ?? []),
        },
      }),
      describe,
    );
    return ok(described);
  },
});

export const removeStatusChecksProtection = repositoryEndpoint({
  operation: 'repos/remove-status-check-protection',
  method: 'DELETE',
  path,
  docs: 'repos#remove-status-check-protection',
  need: mayAdminister,
  async handle(request, access, ports) {
    await changePart(ports, access, request, (_sql, rules) => {
      requiredChecks(rules);
      return { ...rules, statusChecks: undefined };
    });
    return noContent();
  },
});
