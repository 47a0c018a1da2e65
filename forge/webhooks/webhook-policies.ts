import type { RepositoryPolicy } from '../repositories/repository-access.ts';

/**
 * Webhooks are for administrators only, and a token needs a scope even to see those of a public repository: `changes`
 * says so. Others get 404, as for what is not there.
 */
const mayAdministerWebhooks = { permission: 'admin', changes: true } as const;

export const maySeeWebhooks: RepositoryPolicy = {
  ...mayAdministerWebhooks,
  evenArchived: true,
  scopes: ['read:repo_hook'],
};

export const mayChangeWebhooks: RepositoryPolicy = {
  ...mayAdministerWebhooks,
  scopes: ['write:repo_hook'],
};

export const mayDeleteWebhooks: RepositoryPolicy = {
  ...mayAdministerWebhooks,
  evenArchived: true,
  scopes: ['admin:repo_hook'],
};

/** `X-Accepted-OAuth-Scopes` of those that change something. */
export const acceptedToChange = 'admin:repo_hook, public_repo, repo, write:repo_hook';
export const acceptedToSee = 'admin:repo_hook, public_repo, read:repo_hook, repo, write:repo_hook';
