import { openEndpoint } from '../../routing/endpoint.ts';
import { notFound } from '../../errors/api-error.ts';
import { ok } from '../../http/reply.ts';
import { countRepositories } from '../../repositories/repository-list-store.ts';
import { representProfile } from '../account-json.ts';
import { findAccount } from '../account-store.ts';

export const getUser = openEndpoint({
  operation: 'users/get-by-username',
  method: 'GET',
  path: '/users/:username',
  docs: 'users#get-a-user',
  async handle({ path, urls }, { database }) {
    const found = await database.read(async (sql) => {
      const account = await findAccount(sql, path.username);
      return account && { account, counts: await countRepositories(sql, account.id) };
    });
    if (!found) return notFound();
    return ok(representProfile(found.account, found.counts, urls), {
      lastModified: found.account.updatedAt,
    });
  },
});
