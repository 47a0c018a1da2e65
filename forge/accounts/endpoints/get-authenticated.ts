import { userEndpoint } from '../../conventions/endpoint.ts';
import { ok } from '../../conventions/reply.ts';
import { countRepositories } from '../../repositories/repository-list-store.ts';
import { representOwnProfile } from '../account-representation.ts';

export const getAuthenticatedUser = userEndpoint({
  operation: 'users/get-authenticated',
  method: 'GET',
  path: '/user',
  docs: 'users#get-the-authenticated-user',
  async handle({ caller, urls }, { database }) {
    const counts = await database.read((sql) => countRepositories(sql, caller.account.id));
    return ok(representOwnProfile(caller.account, counts, urls), {
      lastModified: caller.account.updatedAt,
    });
  },
});
