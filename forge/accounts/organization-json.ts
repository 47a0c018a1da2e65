import { type Json, timestamp } from '../json/json-values.ts';
import { nodeId } from '../json/node-id.ts';
import type { Urls } from '../json/urls.ts';
import { type AccountCounts, representAccount } from './account-json.ts';
import type { Account, OrganizationRole } from '../model/account.ts';

type Representation = { [field: string]: Json };

/** An organization as lists have it. */
export function representOrganization(organization: Account, urls: Urls): Representation {
  const url = urls.organization(organization.login);
  return {
    login: organization.login,
    id: organization.id,
    node_id: nodeId('Organization', organization.id),
    url,
    repos_url: `${url}/repos`,
    events_url: `${url}/events`,
    hooks_url: `${url}/hooks`,
    issues_url: `${url}/issues`,
    members_url: `${url}/members{/member}`,
    public_members_url: `${url}/public_members{/member}`,
    avatar_url: urls.avatar(organization.id),
    description: organization.bio,
  };
}

/** `GET /orgs/:org`; only members see the number of private repositories. */
export function representOrganizationProfile(
  organization: Account,
  counts: AccountCounts,
  role: OrganizationRole | undefined,
  urls: Urls,
): Representation {
  return {
    ...representOrganization(organization, urls),
    name: organization.name,
    company: organization.company,
    blog: organization.blog,
    location: organization.location,
    email: organization.email,
    twitter_username: null,
    is_verified: false,
    has_organization_projects: false,
    has_repository_projects: false,
    public_repos: counts.publicRepositories,
    public_gists: 0,
    followers: 0,
    following: 0,
    html_url: urls.userHtml(organization.login),
    created_at: timestamp(organization.createdAt),
    updated_at: timestamp(organization.updatedAt),
    archived_at: null,
    type: 'Organization',
    ...(role
      ? {
          total_private_repos: counts.privateRepositories,
          owned_private_repos: counts.privateRepositories,
          members_can_create_repositories: true,
        }
      : {}),
  };
}

export function representMembership(
  organization: Account,
  user: Account,
  role: OrganizationRole,
  urls: Urls,
): Representation {
  const url = urls.organization(organization.login);
  return {
    url: `${url}/memberships/${user.login}`,
    state: 'active',
    role,
    organization_url: url,
    organization: representOrganization(organization, urls),
    user: representAccount(user, urls),
  };
}
