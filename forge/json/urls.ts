import type { ObjectId } from '../git/names.ts';

/**
 * All URLs in responses of the forge. Clients follow them instead of building their own (docs/specification/forge.md 2.3), so they are
 * created only here. Methods ending in `Template` return RFC 6570 templates.
 */
export interface Urls {
  /** URL of an API resource; `path` begins with a slash and is already encoded. */
  api(path: string): string;
  /** URL of a web page. */
  web(path: string): string;
  /** The URL of the reference of an operation; `tail` as in `pulls#get-a-pull-request`. */
  docs(tail: string): string;
  user(login: string): string;
  userHtml(login: string): string;
  /** The page of an App. */
  appHtml(slug: string): string;
  organization(login: string): string;
  team(organization: string, slug: string): string;
  teamHtml(organization: string, slug: string): string;
  avatar(accountId: number): string;
  repository(fullName: string): string;
  repositoryHtml(fullName: string): string;
  clone(fullName: string): string;
  git(fullName: string): string;
  ssh(fullName: string): string;
  /** The form that survives renames; `Link` headers and redirects use it. */
  canonicalRepository(id: number): string;
  commit(fullName: string, sha: string): string;
  commitHtml(fullName: string, sha: string): string;
  commitComment(fullName: string, id: number): string;
  gitObject(fullName: string, kind: 'commits' | 'trees' | 'blobs' | 'tags', sha: string): string;
  gitRef(fullName: string, ref: string): string;
  branch(fullName: string, name: string): string;
  contents(fullName: string, path: string, ref: string): string;
  blobHtml(fullName: string, ref: string, path: string): string;
  /** The root of the tree where the path is empty. */
  treeHtml(fullName: string, ref: string, path: string): string;
  rawHtml(fullName: string, ref: string, path: string): string;
  /** `range` is `base...head`. */
  compare(fullName: string, range: string): string;
  compareHtml(fullName: string, range: string): string;
  /** The history of a revision, or of one path in it. */
  commitsHtml(fullName: string, ref: string, path: string): string;
  archive(fullName: string, format: 'zipball' | 'tarball', ref: string): string;
  status(fullName: string, sha: ObjectId): string;
  checkRun(fullName: string, id: number): string;
  checkSuite(fullName: string, id: number): string;
  pull(fullName: string, number: number): string;
  pullHtml(fullName: string, number: number): string;
  issue(fullName: string, number: number): string;
  issueHtml(fullName: string, number: number): string;
  issueComment(fullName: string, id: number): string;
  reviewComment(fullName: string, id: number): string;
  issueEvent(fullName: string, id: number): string;
  label(fullName: string, name: string): string;
  milestone(fullName: string, number: number): string;
  milestoneHtml(fullName: string, number: number): string;
  release(fullName: string, id: number): string;
  /** The page of the release with this tag. */
  releaseHtml(fullName: string, tag: string): string;
  releaseAsset(fullName: string, id: number): string;
  /** Where browsers and programs without a token download an asset. */
  releaseDownload(fullName: string, tag: string, name: string): string;
  /** Where assets of a release are uploaded: as on GitHub Enterprise Server, below `/api/uploads`. */
  assetUpload(fullName: string, releaseId: number): string;
  deployment(fullName: string, id: number): string;
  environment(fullName: string, name: string): string;
  /** The page of the deployments to an environment. */
  environmentHtml(fullName: string, name: string): string;
  webhook(fullName: string, id: number): string;
  notificationThread(id: number): string;
  invitation(id: number): string;
  invitationsHtml(fullName: string): string;
}

/**
 * `base` is `scheme://host[:port]`; the API is below `/api/v3`, as on GitHub Enterprise Server. Without git over SSH, its URLs have the
 * form of port 22, because clients require them.
 */
export function createUrls(base: string, sshPort?: number): Urls {
  const host = new URL(base).hostname;
  const api = (path: string): string => `${base}/api/v3${path}`;
  const web = (path: string): string => `${base}${path}`;
  return {
    api,
    web,
    docs: (tail) => web(`/docs/rest${tail === '' ? '' : `/${tail}`}`),
    user: (login) => api(`/users/${login}`),
    userHtml: (login) => web(`/${login}`),
    appHtml: (slug) => web(`/apps/${slug}`),
    organization: (login) => api(`/orgs/${login}`),
    team: (organization, slug) => api(`/orgs/${organization}/teams/${encodeURIComponent(slug)}`),
    teamHtml: (organization, slug) =>
      web(`/orgs/${organization}/teams/${encodeURIComponent(slug)}`),
    avatar: (accountId) => web(`/avatars/u/${accountId}?v=4`),
    repository: (fullName) => api(`/repos/${fullName}`),
    repositoryHtml: (fullName) => web(`/${fullName}`),
    clone: (fullName) => web(`/${fullName}.git`),
    git: (fullName) => `git://${host}/${fullName}.git`,
    ssh: (fullName) =>
      sshPort === undefined || sshPort === 22
        ? `git@${host}:${fullName}.git`
        : `ssh://git@${host}:${sshPort}/${fullName}.git`,
    canonicalRepository: (id) => api(`/repositories/${id}`),
    commit: (fullName, sha) => api(`/repos/${fullName}/commits/${sha}`),
    commitHtml: (fullName, sha) => web(`/${fullName}/commit/${sha}`),
    commitComment: (fullName, id) => api(`/repos/${fullName}/comments/${id}`),
    gitObject: (fullName, kind, sha) => api(`/repos/${fullName}/git/${kind}/${sha}`),
    gitRef: (fullName, ref) => api(`/repos/${fullName}/git/${encodePath(ref)}`),
    branch: (fullName, name) => api(`/repos/${fullName}/branches/${encodePath(name)}`),
    contents: (fullName, path, ref) =>
      api(`/repos/${fullName}/contents/${encodePath(path)}?ref=${encodeURIComponent(ref)}`),
    blobHtml: (fullName, ref, path) =>
      web(`/${fullName}/blob/${encodePath(ref)}/${encodePath(path)}`),
    treeHtml: (fullName, ref, path) =>
      web(`/${fullName}/tree/${encodePath(path === '' ? ref : `${ref}/${path}`)}`),
    rawHtml: (fullName, ref, path) =>
      web(`/${fullName}/raw/${encodePath(ref)}/${encodePath(path)}`),
    compare: (fullName, range) => api(`/repos/${fullName}/compare/${encodePath(range)}`),
    compareHtml: (fullName, range) => web(`/${fullName}/compare/${encodePath(range)}`),
    commitsHtml: (fullName, ref, path) =>
      web(`/${fullName}/commits/${encodePath(path === '' ? ref : `${ref}/${path}`)}`),
    archive: (fullName, format, ref) => api(`/repos/${fullName}/${format}/${encodePath(ref)}`),
    status: (fullName, sha) => api(`/repos/${fullName}/statuses/${sha}`),
    checkRun: (fullName, id) => api(`/repos/${fullName}/check-runs/${id}`),
    checkSuite: (fullName, id) => api(`/repos/${fullName}/check-suites/${id}`),
    pull: (fullName, number) => api(`/repos/${fullName}/pulls/${number}`),
    pullHtml: (fullName, number) => web(`/${fullName}/pull/${number}`),
    issue: (fullName, number) => api(`/repos/${fullName}/issues/${number}`),
    issueHtml: (fullName, number) => web(`/${fullName}/issues/${number}`),
    issueComment: (fullName, id) => api(`/repos/${fullName}/issues/comments/${id}`),
    reviewComment: (fullName, id) => api(`/repos/${fullName}/pulls/comments/${id}`),
    issueEvent: (fullName, id) => api(`/repos/${fullName}/issues/events/${id}`),
    label: (fullName, name) => api(`/repos/${fullName}/labels/${encodeURIComponent(name)}`),
    milestone: (fullName, number) => api(`/repos/${fullName}/milestones/${number}`),
    milestoneHtml: (fullName, number) => web(`/${fullName}/milestone/${number}`),
    release: (fullName, id) => api(`/repos/${fullName}/releases/${id}`),
    releaseHtml: (fullName, tag) => web(`/${fullName}/releases/tag/${encodePath(tag)}`),
    releaseAsset: (fullName, id) => api(`/repos/${fullName}/releases/assets/${id}`),
    releaseDownload: (fullName, tag, name) =>
      web(`/${fullName}/releases/download/${encodePath(tag)}/${encodeURIComponent(name)}`),
    assetUpload: (fullName, id) => web(`/api/uploads/repos/${fullName}/releases/${id}/assets`),
    deployment: (fullName, id) => api(`/repos/${fullName}/deployments/${id}`),
    environment: (fullName, name) =>
      api(`/repos/${fullName}/environments/${encodeURIComponent(name)}`),
    environmentHtml: (fullName, name) =>
      web(`/${fullName}/deployments?environment=${encodeURIComponent(name)}`),
    webhook: (fullName, id) => api(`/repos/${fullName}/hooks/${id}`),
    notificationThread: (id) => api(`/notifications/threads/${id}`),
    invitation: (id) => api(`/user/repository_invitations/${id}`),
    invitationsHtml: (fullName) => web(`/${fullName}/invitations`),
  };
}

/** Encodes each segment, so that names with `%`, `?` or spaces survive and slashes stay. */
export function encodePath(path: string): string {
  return path.split('/').map(encodeURIComponent).join('/');
}
