import { findSecondFactor } from '../../auth/second-factor-store.ts';
import { userEndpoint } from '../../routing/endpoint.ts';
import { ok } from '../../http/reply.ts';
import { countRepositories } from '../../repositories/repository-list-store.ts';
import { representOwnProfile } from '../account-json.ts';

export const getAuthenticatedUser = userEndpoint({
  operation: 'users/get-authenticated',
  method: 'GET',
  path: '/user',
  docs: 'users#get-the-authenticated-user',
  async handle({ caller, urls }, { database }) {
    const { id } = caller.account;
    const details = await database.read(async (sql) => ({
      ...(await countRepositories(sql, id)),
      twoFactor: (await findSecondFactor(sql, id)) !== undefined,
    }));
    return ok(representOwnProfile(caller.account, details, urls), {
      lastModified: caller.account.updatedAt,
    });
  },
});
