import { mayRead } from '../../repositories/repository-access.ts';
import { findAccount } from '../../accounts/account-store.ts';
import { repositoryEndpoint } from '../../routing/endpoint.ts';
import { notFound } from '../../errors/api-error.ts';
import { noContent } from '../../http/reply.ts';
import { mayBeAssigned } from '../change-assignees.ts';

export const checkAssignee = repositoryEndpoint({
  operation: 'issues/check-user-can-be-assigned',
  method: 'GET',
  path: '/repos/:owner/:repo/assignees/:assignee',
  docs: 'issues#check-if-a-user-can-be-assigned',
  acceptedScopes: 'repo',
  need: mayRead,
  async handle({ path }, { repository }, { database }) {
    const assignable = await database.read(async (sql) => {
      const account = await findAccount(sql, path.assignee);
      return account && mayBeAssigned(sql, repository.id, undefined, account);
    });
    return assignable ? noContent() : notFound();
  },
});
