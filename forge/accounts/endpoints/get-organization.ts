import { openEndpoint } from '../../routing/endpoint.ts';
import { ok } from '../../http/reply.ts';
import { countRepositories } from '../../repositories/repository-list-store.ts';
import { seeOrganization } from '../organization-access.ts';
import { representOrganizationProfile } from '../organization-json.ts';

export const getOrganization = openEndpoint({
  operation: 'orgs/get',
  method: 'GET',
  path: '/orgs/:org',
  docs: 'orgs#get-an-organization',
  acceptedScopes: 'admin:org, read:org, repo, user, write:org',
  async handle({ path, caller, urls }, { database }) {
    return database.read(async (sql) => {
      const { organization, role } = await seeOrganization(sql, caller, path.org);
      const counts = await countRepositories(sql, organization.id);
      const body = representOrganizationProfile(organization, counts, role, urls);
      return ok(body, { lastModified: organization.updatedAt });
    });
  },
});
