import type { RepositoryNeed } from '../access/repository-access.ts';

export const mayListCollaborators: RepositoryNeed = {
  permission: 'write',
  changes: false,
  refusal: 'Must have push access to view repository collaborators.',
};

export const maySeePermissions: RepositoryNeed = {
  permission: 'write',
  changes: false,
  refusal: 'Must have push access to view collaborator permission.',
};
