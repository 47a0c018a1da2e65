import { accountPermissionIn } from '../../repositories/repository-access.ts';
import { repositoryEndpoint } from '../../routing/endpoint.ts';
import { ok } from '../../http/reply.ts';
import { maySeePermissions } from '../collaborator-policies.ts';
import { representPermission } from '../collaborator-json.ts';
import { namedUser } from '../named-user.ts';

/** Answers for any user: who has no access has the permission `none`. */
export const getCollaboratorPermission = repositoryEndpoint({
  operation: 'repos/get-collaborator-permission-level',
  method: 'GET',
  path: '/repos/:owner/:repo/collaborators/:username/permission',
  docs: 'repos#get-repository-permissions-for-a-user',
  need: maySeePermissions,
  async handle({ path, urls }, { repository }, { database }) {
    const { account, permission } = await database.read(async (sql) => {
      const named = await namedUser(sql, path.username);
      return {
        account: named,
        permission: await accountPermissionIn(sql, named.id, repository.id),
      };
    });
    return ok(representPermission(account, permission, urls));
  },
});
