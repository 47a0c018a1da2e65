import Type from 'typebox';

import { callerAccountId } from '../../model/caller.ts';
import { repositoryEndpoint } from '../../routing/endpoint.ts';
import { ok } from '../../http/reply.ts';
import { describeRepository } from '../describe-repository.ts';
import { editRepository } from '../edit-repository.ts';
import { readyRepository } from '../ready-repository.ts';
import { repositorySettingsShape, settingsOf, withoutAbsent } from '../repository-input.ts';
import { readName } from '../repository-name.ts';
import { mayManage } from '../repository-policies.ts';

export const updateRepository = repositoryEndpoint({
  operation: 'repos/update',
  method: 'PATCH',
  path: '/repos/:owner/:repo',
  docs: 'repos#update-a-repository',
  need: mayManage,
  body: Type.Object({
    ...repositorySettingsShape,
    name: Type.Optional(Type.String()),
    default_branch: Type.Optional(Type.String()),
    archived: Type.Optional(Type.Boolean()),
  }),
  async handle({ body, caller, now, urls }, { repository, permission }, ports) {
    const update = withoutAbsent({
      ...settingsOf(body),
      name: body.name === undefined ? undefined : readName(body.name),
      defaultBranch: body.default_branch,
      archived: body.archived,
    });
    const actorId = callerAccountId(caller);
    await editRepository(ports, repository, update, { actorId, now });
    return ports.database.read(async (sql) => {
      const changed = await readyRepository(sql, repository.id);
      return ok(await describeRepository(sql, changed, permission, caller, urls));
    });
  },
});
