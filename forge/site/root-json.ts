import type { Json } from '../json/json-values.ts';
import type { Urls } from '../json/urls.ts';

/** `GET /`: the URLs where clients start. Some are of features that this server does not have. */
export function representRoot(urls: Urls): { [member: string]: Json } {
  const paged = 'page,per_page,sort';
  return {
    current_user_url: urls.api('/user'),
    current_user_authorizations_html_url: urls.web(
      '/settings/connections/applications{/client_id}',
    ),
    authorizations_url: urls.api('/authorizations'),
    code_search_url: urls.api(`/search/code?q={query}{&${paged},order}`),
    commit_search_url: urls.api(`/search/commits?q={query}{&${paged},order}`),
    emails_url: urls.api('/user/emails'),
    emojis_url: urls.api('/emojis'),
    events_url: urls.api('/events'),
    feeds_url: urls.api('/feeds'),
    followers_url: urls.api('/user/followers'),
    following_url: urls.api('/user/following{/target}'),
    gists_url: urls.api('/gists{/gist_id}'),
    hub_url: urls.api('/hub'),
    issue_search_url: urls.api(`/search/issues?q={query}{&${paged},order}`),
    issues_url: urls.api('/issues'),
    keys_url: urls.api('/user/keys'),
    label_search_url: urls.api(
      '/search/labels?q={query}&repository_id={repository_id}{&page,per_page}',
    ),
    notifications_url: urls.api('/notifications'),
    organization_url: urls.api('/orgs/{org}'),
    organization_repositories_url: urls.api(`/orgs/{org}/repos{?type,${paged}}`),
    organization_teams_url: urls.api('/orgs/{org}/teams'),
    public_gists_url: urls.api('/gists/public'),
    rate_limit_url: urls.api('/rate_limit'),
    repository_url: urls.api('/repos/{owner}/{repo}'),
    repository_search_url: urls.api(`/search/repositories?q={query}{&${paged},order}`),
    current_user_repositories_url: urls.api(`/user/repos{?type,${paged}}`),
    starred_url: urls.api('/user/starred{/owner}{/repo}'),
    starred_gists_url: urls.api('/gists/starred'),
    topic_search_url: urls.api('/search/topics?q={query}{&page,per_page}'),
    user_url: urls.api('/users/{user}'),
    user_organizations_url: urls.api('/user/orgs'),
    user_repositories_url: urls.api(`/users/{user}/repos{?type,${paged}}`),
    user_search_url: urls.api(`/search/users?q={query}{&${paged},order}`),
  };
}
