import { representAccount } from '../accounts/account-json.ts';
import { type Permission, permissionFlags } from '../model/permission.ts';
import { type Json, timestamp } from '../json/json-values.ts';
import { nodeId } from '../json/node-id.ts';
import type { Urls } from '../json/urls.ts';
import { fullName, type Repository } from '../model/repository.ts';
import { representLicenseOf } from '../templates/license-json.ts';

type Representation = { [field: string]: Json };

/** The repository that invitations and combined statuses embed: common fields and URLs (docs/specification/forge.md 9.2), and `hooks_url`. */
export function representMinimalRepository(repository: Repository, urls: Urls): Representation {
  const url = urls.repository(fullName(repository));
  return {
    id: repository.id,
    node_id: nodeId('Repository', repository.id),
    name: repository.name,
    full_name: fullName(repository),
    private: repository.private,
    owner: representAccount(repository.owner, urls),
    html_url: urls.repositoryHtml(fullName(repository)),
    description: repository.description,
    fork: isFork(repository),
    url,
    ...urlTemplates(url),
    git_url: urls.git(fullName(repository)),
    ssh_url: urls.ssh(fullName(repository)),
  };
}

/** The repository as other resources and lists embed it (docs/specification/forge.md 9.2). */
export function representRepository(repository: Repository, urls: Urls): Representation {
  const name = fullName(repository);
  return {
    ...representMinimalRepository(repository, urls),
    created_at: timestamp(repository.createdAt),
    updated_at: timestamp(repository.updatedAt),
    pushed_at: timestamp(repository.pushedAt ?? repository.createdAt),
    clone_url: urls.clone(name),
    svn_url: urls.repositoryHtml(name),
    homepage: repository.homepage,
    size: repository.sizeKibibytes,
    stargazers_count: repository.stargazers,
    watchers_count: repository.stargazers,
    language: repository.language,
    has_issues: repository.hasIssues,
    // Neither is here: a link to one would be dead.
    has_projects: false,
    has_downloads: repository.hasDownloads,
    has_wiki: false,
    has_pages: false,
    has_discussions: false,
    forks_count: repository.forks,
    mirror_url: null,
    archived: repository.archived,
    disabled: false,
    open_issues_count: repository.openIssues,
    license: representLicenseOf(repository.license, urls),
    allow_forking: true,
    is_template: repository.isTemplate,
    topics: repository.topics,
    visibility: repository.private ? 'private' : 'public',
    forks: repository.forks,
    open_issues: repository.openIssues,
    watchers: repository.stargazers,
    default_branch: repository.defaultBranch,
  };
}

/** The repository that the head and base of a pull embed, with every additional field of docs/specification/forge.md 9.2. */
export function representEmbeddedRepository(
  repository: Repository,
  { permission, networkForks }: { readonly permission: Permission; readonly networkForks: number },
  urls: Urls,
): Representation {
  return {
    ...representRepositoryFor(repository, permission, urls),
    subscribers_count: repository.subscribers,
    network_count: networkForks,
    template_repository: null,
    temp_clone_token: '',
    allow_rebase_merge: repository.allowRebaseMerge,
    allow_squash_merge: repository.allowSquashMerge,
    allow_merge_commit: repository.allowMergeCommit,
    delete_branch_on_merge: repository.deleteBranchOnMerge,
    allow_auto_merge: repository.allowAutoMerge,
  };
}

/** Adds the caller's permissions, as in lists of repositories. */
export function representRepositoryFor(
  repository: Repository,
  permission: Permission,
  urls: Urls,
): Representation {
  return {
    ...representRepository(repository, urls),
    permissions: { ...permissionFlags(permission) },
  };
}

export interface RepositoryRelatives {
  readonly parent: Repository | undefined;
  readonly source: Repository | undefined;
  readonly template: Repository | undefined;
  /** All forks of the network but the source itself. */
  readonly networkForks: number;
}

/** `GET /repos/:owner/:repo`: merge settings are shown to callers with push permission. */
export function representFullRepository(
  repository: Repository,
  permission: Permission,
  relatives: RepositoryRelatives,
  urls: Urls,
): Representation {
  const flags = permissionFlags(permission);
  return {
    ...representRepositoryFor(repository, permission, urls),
    temp_clone_token: '',
    ...(flags.push
      ? {
          allow_squash_merge: repository.allowSquashMerge,
          allow_merge_commit: repository.allowMergeCommit,
          allow_rebase_merge: repository.allowRebaseMerge,
          delete_branch_on_merge: repository.deleteBranchOnMerge,
          allow_auto_merge: repository.allowAutoMerge,
        }
      : {}),
    ...(repository.owner.kind === 'organization'
      ? { organization: representAccount(repository.owner, urls) }
      : {}),
    ...(relatives.parent ? { parent: representRepository(relatives.parent, urls) } : {}),
    ...(relatives.source ? { source: representRepository(relatives.source, urls) } : {}),
    ...(relatives.template
      ? { template_repository: representRepository(relatives.template, urls) }
      : {}),
    network_count: relatives.networkForks,
    subscribers_count: repository.subscribers,
  };
}

function isFork(repository: Repository): boolean {
  return repository.parentId !== null;
}

function urlTemplates(url: string): Representation {
  return {
    forks_url: `${url}/forks`,
    keys_url: `${url}/keys{/key_id}`,
    collaborators_url: `${url}/collaborators{/collaborator}`,
    teams_url: `${url}/teams`,
    hooks_url: `${url}/hooks`,
    issue_events_url: `${url}/issues/events{/number}`,
    events_url: `${url}/events`,
    assignees_url: `${url}/assignees{/user}`,
    branches_url: `${url}/branches{/branch}`,
    tags_url: `${url}/tags`,
    blobs_url: `${url}/git/blobs{/sha}`,
    git_tags_url: `${url}/git/tags{/sha}`,
    git_refs_url: `${url}/git/refs{/sha}`,
    trees_url: `${url}/git/trees{/sha}`,
    statuses_url: `${url}/statuses/{sha}`,
    languages_url: `${url}/languages`,
    stargazers_url: `${url}/stargazers`,
    contributors_url: `${url}/contributors`,
    subscribers_url: `${url}/subscribers`,
    subscription_url: `${url}/subscription`,
    commits_url: `${url}/commits{/sha}`,
    git_commits_url: `${url}/git/commits{/sha}`,
    comments_url: `${url}/comments{/number}`,
    issue_comment_url: `${url}/issues/comments{/number}`,
    contents_url: `${url}/contents/{+path}`,
    compare_url: `${url}/compare/{base}...{head}`,
    merges_url: `${url}/merges`,
    archive_url: `${url}/{archive_format}{/ref}`,
    downloads_url: `${url}/downloads`,
    issues_url: `${url}/issues{/number}`,
    pulls_url: `${url}/pulls{/number}`,
    milestones_url: `${url}/milestones{/number}`,
    notifications_url: `${url}/notifications{?since,all,participating}`,
    labels_url: `${url}/labels{/name}`,
    releases_url: `${url}/releases{/id}`,
    deployments_url: `${url}/deployments`,
  };
}
