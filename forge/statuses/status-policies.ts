import { mayPush, mayRead, type RepositoryPolicy } from '../repositories/repository-access.ts';

/** Access to statuses without access to code (spec, Authentication 5). */
const statusScope = { scopes: ['repo:status'] } as const;

export const mayReadStatuses: RepositoryPolicy = { ...mayRead, ...statusScope };
export const mayCreateStatuses: RepositoryPolicy = { ...mayPush, ...statusScope };
