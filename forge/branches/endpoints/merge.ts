import Type from 'typebox';

import { mayPush } from '../../repositories/repository-access.ts';
import { describeCommit } from '../../commits/describe-commits.ts';
import { requiredCommit } from '../../commits/required-commit.ts';
import { repositoryEndpoint } from '../../routing/endpoint.ts';
import { refuse } from '../../errors/api-error.ts';
import { created, noContent } from '../../http/reply.ts';
import { orNull } from '../../http/schemas.ts';
import { fullName } from '../../model/repository.ts';
import { mergeBranches } from '../../ref-updates/merge-branches.ts';

export const mergeBranch = repositoryEndpoint({
  operation: 'repos/merge',
  method: 'POST',
  path: '/repos/:owner/:repo/merges',
  docs: 'repos#merge-a-branch',
  need: mayPush,
  body: Type.Object({
    base: Type.String(),
    head: Type.String(),
    commit_message: Type.Optional(orNull(Type.String())),
  }),
  async handle(request, { repository }, ports) {
    const { body, caller, urls } = request;
    if (caller.kind !== 'user') return refuse({ kind: 'requires-authentication' });
    const sha = await mergeBranches(ports, {
      repositoryId: repository.id,
      caller,
      base: body.base,
      head: body.head,
      message: body.commit_message || undefined,
      moment: request,
    });
    if (sha === undefined) return noContent();
    const commit = await requiredCommit(ports.git.repository(repository.id), sha);
    return created(
      await ports.database.read((sql) => describeCommit(sql, commit, repository, urls)),
      urls.commit(fullName(repository), sha),
    );
  },
});
