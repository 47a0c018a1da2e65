import { mayAdminister } from '../../repositories/repository-access.ts';
import { repositoryEndpoint } from '../../routing/endpoint.ts';
import { noContent, ok } from '../../http/reply.ts';
import { changePart, describePart, type ProtectionContext } from '../change-protection.ts';
import { maySeeRules } from '../read-protection.ts';
import { representEnforcement } from '../protection-json.ts';

const path = '/repos/:owner/:repo/branches/:branch/protection/enforce_admins';

const describe = ({ rules, url }: ProtectionContext): ReturnType<typeof representEnforcement> =>
  representEnforcement(rules, url);

export const getAdminProtection = repositoryEndpoint({
  operation: 'repos/get-admin-branch-protection',
  method: 'GET',
  path,
  docs: 'repos#get-admin-branch-protection',
  need: maySeeRules,
  cacheable: true,
  async handle(request, access, ports) {
    return ok(await describePart(ports, access, request, describe));
  },
});

export const setAdminProtection = repositoryEndpoint({
  operation: 'repos/set-admin-branch-protection',
  method: 'POST',
  path,
  docs: 'repos#set-admin-branch-protection',
  need: mayAdminister,
  async handle(request, access, ports) {
    const enforced = await changePart(
      ports,
      access,
      request,
      (_sql, rules) => ({ ...rules, enforceAdmins: true }),
      describe,
    );
    return ok(enforced);
  },
});

export const removeAdminProtection = repositoryEndpoint({
  operation: 'repos/delete-admin-branch-protection',
  method: 'DELETE',
  path,
  docs: 'repos#delete-admin-branch-protection',
  need: mayAdminister,
  async handle(request, access, ports) {
    await changePart(ports, access, request, (_sql, rules) => ({ ...rules, enforceAdmins: false }));
    return noContent();
  },
});
