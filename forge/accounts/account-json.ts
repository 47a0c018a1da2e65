import { type Json, timestamp } from '../json/json-values.ts';
import { nodeId } from '../json/node-id.ts';
import type { Urls } from '../json/urls.ts';
import { type Account, slugOfBot } from '../model/account.ts';

const types = { user: 'User', organization: 'Organization', bot: 'Bot' } as const;

/** The user every other resource embeds (docs/specification/forge.md 9.1). */
export function representAccount(account: Account, urls: Urls): { [field: string]: Json } {
  const bot = account.kind === 'bot';
  const url = urls.user(encodeURIComponent(account.login));
  return {
    login: account.login,
    id: account.id,
    node_id: nodeId(types[account.kind], account.id),
    avatar_url: urls.avatar(account.id),
    gravatar_id: '',
    url,
    html_url: bot ? urls.appHtml(slugOfBot(account.login)) : urls.userHtml(account.login),
    followers_url: `${url}/followers`,
    following_url: `${url}/following{/other_user}`,
    gists_url: `${url}/gists{/gist_id}`,
    starred_url: `${url}/starred{/owner}{/repo}`,
    subscriptions_url: `${url}/subscriptions`,
    organizations_url: `${url}/orgs`,
    repos_url: `${url}/repos`,
    events_url: `${url}/events{/privacy}`,
    received_events_url: `${url}/received_events`,
    type: types[account.kind],
    site_admin: account.siteAdmin,
  };
}

export interface AccountCounts {
  readonly publicRepositories: number;
  readonly privateRepositories: number;
}

export interface ProfileCounts extends AccountCounts {
  readonly followers: number;
  readonly following: number;
}

/** `GET /users/:login`. */
export function representProfile(
  account: Account,
  counts: ProfileCounts,
  urls: Urls,
): { [field: string]: Json } {
  return {
    ...representAccount(account, urls),
    name: account.name,
    company: account.company,
    blog: account.blog ?? '',
    location: account.location,
    email: account.email,
    hireable: null,
    bio: account.bio,
    twitter_username: null,
    public_repos: counts.publicRepositories,
    public_gists: 0,
    followers: counts.followers,
    following: counts.following,
    created_at: timestamp(account.createdAt),
    updated_at: timestamp(account.updatedAt),
    suspended_at: account.suspendedAt === null ? null : timestamp(account.suspendedAt),
  };
}

/** `GET /user`: what only the user sees of the account. */
export function representOwnProfile(
  account: Account,
  details: ProfileCounts & { readonly twoFactor: boolean },
  urls: Urls,
): { [field: string]: Json } {
  return {
    ...representProfile(account, details, urls),
    private_gists: 0,
    total_private_repos: details.privateRepositories,
    owned_private_repos: details.privateRepositories,
    disk_usage: 0,
    collaborators: 0,
    two_factor_authentication: details.twoFactor,
    plan: { name: 'free', space: 0, collaborators: 0, private_repos: 0 },
  };
}
