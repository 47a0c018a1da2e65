import { mayAdminister } from '../../repositories/repository-access.ts';
import { repositoryEndpoint } from '../../routing/endpoint.ts';
import { noContent, ok } from '../../http/reply.ts';
import { changePart, describePart } from '../change-protection.ts';
import { requiredPushers } from '../protection-parts.ts';
import { maySeeRules } from '../read-protection.ts';
import { representRestrictions } from '../protection-json.ts';

const path = '/repos/:owner/:repo/branches/:branch/protection/restrictions';

export const getRestrictions = repositoryEndpoint({
  operation: 'repos/get-access-restrictions',
  method: 'GET',
  path,
  docs: 'repos#get-access-restrictions',
  need: maySeeRules,
  cacheable: true,
  async handle(request, access, ports) {
    const described = await describePart(ports, access, request, (scene) => {
      requiredPushers(scene.rules);
      return representRestrictions(scene, scene.url, request.urls);
    });
    return ok(described);
  },
});

export const removeRestrictions = repositoryEndpoint({
  operation: 'repos/delete-access-restrictions',
  method: 'DELETE',
  path,
  docs: 'repos#delete-access-restrictions',
  need: mayAdminister,
  async handle(request, access, ports) {
    await changePart(ports, access, request, (_sql, rules) => {
      requiredPushers(rules);
      return { ...rules, pushers: undefined };
    });
    return noContent();
  },
});

/** There are no apps that could push. */
export const listRestrictedApps = repositoryEndpoint({
  operation: 'repos/get-apps-with-access-to-protected-branch',
  method: 'GET',
  path: `${path}/apps`,
  docs: 'repos#list-apps-with-access-to-the-protected-branch',
  need: maySeeRules,
  cacheable: true,
  async handle(request, access, ports) {
    const described = await describePart(ports, access, request, ({ rules }) => {
      requiredPushers(rules);
      return [];
    });
    return ok(described);
  },
});
