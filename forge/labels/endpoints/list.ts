import { mayRead } from '../../repositories/repository-access.ts';
import { repositoryEndpoint } from '../../routing/endpoint.ts';
import { page as replyPage } from '../../http/reply.ts';
import { fullName } from '../../model/repository.ts';
import { representLabel } from '../label-json.ts';
import { listLabels } from '../label-store.ts';

export const listLabelsOfRepository = repositoryEndpoint({
  operation: 'issues/list-labels-for-repo',
  method: 'GET',
  path: '/repos/:owner/:repo/labels',
  docs: 'issues#list-labels-for-a-repository',
  acceptedScopes: 'repo',
  need: mayRead,
  cacheable: true,
  async handle({ page, urls }, { repository }, { database }) {
    const { labels, total } = await database.read((sql) => listLabels(sql, repository.id, page));
    const name = fullName(repository);
    return replyPage(
      labels.map((label) => representLabel(label, name, urls)),
      total,
    );
  },
});
