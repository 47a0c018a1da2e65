import { mayAdminister, type RepositoryPolicy } from '../repositories/repository-access.ts';

/** Access to invitations without access to code (spec, Authentication 5). */
export const mayChangeInvitations: RepositoryPolicy = { ...mayAdminister, scopes: ['repo:invite'] };

/** A token needs a scope to read them, as if it changed something; an archived repository still tells. */
export const mayListInvitations: RepositoryPolicy = { ...mayChangeInvitations, evenArchived: true };
