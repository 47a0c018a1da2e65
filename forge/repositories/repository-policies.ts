import { mayAdminister, type RepositoryPolicy } from './repository-access.ts';

/** For settings and removal: an archived repository can be taken out of the archive, and deleted. */
export const mayManage: RepositoryPolicy = { ...mayAdminister, evenArchived: true };
