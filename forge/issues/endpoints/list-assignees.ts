import { mayRead } from '../../repositories/repository-access.ts';
import { representAccount } from '../../accounts/account-json.ts';
import { repositoryEndpoint } from '../../routing/endpoint.ts';
import { page as replyPage } from '../../http/reply.ts';
import { listAssignable } from '../assignee-store.ts';

export const listAssignees = repositoryEndpoint({
  operation: 'issues/list-assignees',
  method: 'GET',
  path: '/repos/:owner/:repo/assignees',
  docs: 'issues#list-assignees',
  acceptedScopes: 'repo',
  need: mayRead,
  cacheable: true,
  async handle({ page, urls }, { repository }, { database }) {
    const { accounts, total } = await database.read((sql) => listAssignable(sql, repository, page));
    return replyPage(
      accounts.map((account) => representAccount(account, urls)),
      total,
    );
  },
});
