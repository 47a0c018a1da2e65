import { mayPush, mayRead, type RepositoryNeed } from '../repositories/repository-access.ts';

/** Access to statuses without access to code (spec, Authentication 5). */
const statusScope = { scopes: ['repo:status'] } as const;

export const mayReadStatuses: RepositoryNeed = { ...mayRead, ...statusScope };
export const mayCreateStatuses: RepositoryNeed = { ...mayPush, ...statusScope };
