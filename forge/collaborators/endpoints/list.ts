import Type from 'typebox';

import { repositoryEndpoint } from '../../conventions/endpoint.ts';
import { page as replyPage } from '../../conventions/reply.ts';
import { choice, readQuery } from '../../conventions/shapes.ts';
import { mayListCollaborators } from '../collaborator-needs.ts';
import { representCollaborator } from '../collaborator-representation.ts';
import { listCollaborators } from '../collaborator-store.ts';
import { affiliations } from '../collaborator.ts';

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
