import type { RepositoryPolicy } from '../repositories/repository-access.ts';

/**
 * Who else has access is nobody's but the pushers' to know, even in a public repository: a token needs a scope to read
 * it, as if it changed something, and an archived repository still tells.
 */
const pushersMaySee = { permission: 'write', changes: true, evenArchived: true } as const;

export const mayListCollaborators: RepositoryPolicy = {
  ...pushersMaySee,
  refusal: 'Must have push access to view repository collaborators.',
};

export const maySeePermissions: RepositoryPolicy = {
  ...pushersMaySee,
  refusal: 'Must have push access to view collaborator permission.',
};
