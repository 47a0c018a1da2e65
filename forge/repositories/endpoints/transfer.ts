import Type from 'typebox';

import { mayAdminister } from '../../access/repository-access.ts';
import { repositoryEndpoint } from '../../conventions/endpoint.ts';
import { notFound, refuse } from '../../conventions/refusal.ts';
import { accepted } from '../../conventions/reply.ts';
import { representRepositoryFor } from '../repository-representation.ts';
import { repositoriesById } from '../repository-store.ts';
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
      const moved = (await repositoriesById(sql, [repository.id])).get(repository.id);
      return moved ? accepted(representRepositoryFor(moved, permission, urls)) : notFound();
    });
  },
});
