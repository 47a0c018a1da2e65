import Type from 'typebox';

import { repositoryEndpoint } from '../../routing/endpoint.ts';
import { page as replyPage } from '../../http/reply.ts';
import { choice, readQuery } from '../../http/schemas.ts';
import { mayListCollaborators } from '../collaborator-policies.ts';
import { representCollaborator } from '../collaborator-json.ts';
import { listCollaborators } from '../../repositories/collaborator-store.ts';
import { affiliations } from '../../model/collaborator.ts';

const parameters = Type.Object({ affiliation: Type.Optional(choice(affiliations)) });

export const listRepositoryCollaborators = repositoryEndpoint({
  operation: 'repos/list-collaborators',
  method: 'GET',
  path: '/repos/:owner/:repo/collaborators',
  docs: 'repos#list-repository-collaborators',
  need: mayListCollaborators,
  async handle({ query, page, urls }, { repository }, { database }) {
    const { affiliation = 'all' } = readQuery(parameters, query, { resource: 'Repository' });
    const { collaborators, total } = await database.read((sql) =>
      listCollaborators(sql, repository, affiliation, page),
    );
    return replyPage(
      collaborators.map((collaborator) => representCollaborator(collaborator, urls)),
      total,
    );
  },
});
