import { adminRefusal, mayAdminister, type RepositoryNeed } from '../access/repository-access.ts';

/** Access to invitations without access to code (spec, Authentication 5). */
const invitationScope = { scopes: ['repo:invite'] } as const;

export const mayListInvitations: RepositoryNeed = {
  permission: 'admin',
  changes: false,
  refusal: adminRefusal,
  ...invitationScope,
};

export const mayChangeInvitations: RepositoryNeed = { ...mayAdminister, ...invitationScope };
