import Type from 'typebox';

import { createOrganization } from '../../accounts/create-organization.ts';
import { representOrganization } from '../../accounts/organization-json.ts';
import { userEndpoint } from '../../routing/endpoint.ts';
import { created } from '../../http/reply.ts';

export const createOrganizationEndpoint = userEndpoint({
  operation: 'enterprise-admin/create-org',
  method: 'POST',
  path: '/admin/organizations',
  docs: 'enterprise-admin#create-an-organization',
  acceptedScopes: 'site_admin',
  siteAdmin: true,
  body: Type.Object({
    login: Type.String(),
    admin: Type.String(),
    profile_name: Type.Optional(Type.String()),
  }),
  async handle({ body, urls }, ports) {
    const organization = await createOrganization(ports, {
      login: body.login,
      ownerLogin: body.admin,
      name: body.profile_name,
    });
    return created(representOrganization(organization, urls), urls.organization(body.login));
  },
});
