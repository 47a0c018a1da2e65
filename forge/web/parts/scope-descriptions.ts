import type { Scope } from '../../model/scopes.ts';

/** What each scope lets its holder do, as the end of "It may". */
export const scopeDescriptions: Readonly<Record<Scope, string>> = {
  repo: 'read and change all your repositories, private ones included',
  'repo:status': 'read and set commit statuses',
  repo_deployment: 'read and set deployment statuses',
  public_repo: 'read and change your public repositories',
  'repo:invite': 'accept and decline your repository invitations',
  'admin:org': 'administer your organizations and their members',
  'write:org': 'change your memberships in organizations',
  'read:org': 'read your memberships in organizations',
  'admin:public_key': 'administer your public keys',
  'admin:repo_hook': 'administer the webhooks of your repositories',
  'write:repo_hook': 'create and edit the webhooks of your repositories',
  'read:repo_hook': 'read the webhooks of your repositories',
  notifications: 'read your notifications and mark them as read',
  user: 'read and change your profile',
  'read:user': 'read your profile',
  'user:email': 'read your e-mail address',
  delete_repo: 'delete your repositories',
  gist: 'create gists (not supported by this server)',
  workflow: 'change workflow files',
  site_admin: 'administer this server',
};
