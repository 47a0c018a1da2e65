import { optionalText, textArgument } from '../engine/arguments.ts';
import { failField } from '../engine/field-error.ts';
import { given } from './attribute-inputs.ts';
import type { GraphqlContext, Mutations } from './context.ts';
import { idOfCreated, nodeOf } from './node-fields.ts';
import type { RepositorySource } from './sources.ts';

const fields = {
  name: 'name',
  description: 'description',
  homepageUrl: 'homepage',
  hasIssuesEnabled: 'has_issues',
  hasProjectsEnabled: 'has_projects',
  hasWikiEnabled: 'has_wiki',
  template: 'is_template',
};

export const repositoryMutations: Mutations = {
  async createRepository(input, context) {
    const visibility = textArgument(input, 'visibility');
    if (visibility === 'INTERNAL') {
      failField('UNPROCESSABLE', 'Repositories are public or private.');
    }
    if (optionalText(input, 'teamId') !== undefined) {
      failField('UNPROCESSABLE', 'Give the team access once the repository exists.');
    }
    const ownerId = optionalText(input, 'ownerId');
    const owner =
      ownerId === undefined ? undefined : await nodeOf(ownerId, ['User', 'Organization'], context);
    const body = { ...given(input, fields), private: visibility === 'PRIVATE' };
    const { caller } = context.request;
    if (owner?.typeName === 'User' && owner.account.id !== caller.account.id) {
      const message = `${caller.account.login} cannot create a repository for ${owner.account.login}.`;
      failField('FORBIDDEN', message);
    }
    const created =
      owner?.typeName === 'Organization'
        ? await context.perform('repos/create-in-org', { path: { org: owner.account.login }, body })
        : await context.perform('repos/create-for-authenticated-user', { body });
    return { repository: await nodeOf(idOfCreated(created), ['Repository'], context) };
  },
  async cloneTemplateRepository(input, context) {
    const visibility = textArgument(input, 'visibility');
    if (visibility === 'INTERNAL') {
      failField('UNPROCESSABLE', 'Repositories are public or private.');
    }
    const { repository } = await nodeOf(
      textArgument(input, 'repositoryId'),
      ['Repository'],
      context,
    );
    const types = ['User', 'Organization'] as const;
    const owner = await nodeOf(textArgument(input, 'ownerId'), types, context);
    const created = await context.perform('repos/create-using-template', {
      repositoryId: repository.id,
      body: {
        ...given(input, { ...fields, includeAllBranches: 'include_all_branches' }),
        owner: owner.account.login,
        private: visibility === 'PRIVATE',
      },
    });
    return { repository: await nodeOf(idOfCreated(created), ['Repository'], context) };
  },
  updateRepository: (input, context) =>
    update(textArgument(input, 'repositoryId'), given(input, fields), context),
  archiveRepository: (input, context) =>
    update(textArgument(input, 'repositoryId'), { archived: true }, context),
  unarchiveRepository: (input, context) =>
    update(textArgument(input, 'repositoryId'), { archived: false }, context),
};

async function update(
  id: string,
  body: Readonly<Record<string, unknown>>,
  context: GraphqlContext,
): Promise<{ repository: RepositorySource }> {
  const { repository } = await nodeOf(id, ['Repository'], context);
  await context.perform('repos/update', { repositoryId: repository.id, body });
  return { repository: await nodeOf(id, ['Repository'], context) };
}
