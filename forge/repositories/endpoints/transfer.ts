import Type from 'typebox';

import { mayAdminister } from '../repository-access.ts';
import { repositoryEndpoint } from '../../routing/endpoint.ts';
import { refuse } from '../../errors/api-error.ts';
import { accepted } from '../../http/reply.ts';
import { readyRepository } from '../ready-repository.ts';
import { representRepositoryFor } from '../repository-json.ts';
import { transferRepository } from '../transfer-repository.ts';

export const transferRepositoryEndpoint = repositoryEndpoint({
  operation: 'repos/transfer',
  method: 'POST',
  path: '/repos/:owner/:repo/transfer',
  docs: 'repos#transfer-a-repository',
  need: mayAdminister,
  body: Type.Object({ new_owner: Type.String() }),
  async handle({ body, caller, now, urls }, { repository, permission }, { database }) {
    if (caller.kind !== 'user') return refuse({ kind: 'requires-authentication' });
    const wish = { repository, newOwner: body.new_owner, caller: caller.account, now };
    await transferRepository(database, wish);
    return database.read(async (sql) => {
      const moved = await readyRepository(sql, repository.id);
      return accepted(representRepositoryFor(moved, permission, urls));
    });
  },
});
