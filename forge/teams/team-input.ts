import Type from 'typebox';

import type { FieldError } from '../errors/api-error.ts';
import { choice, orNull } from '../http/schemas.ts';

/** Members of requests that create or edit a team. */
export const teamMembers = {
  description: Type.Optional(orNull(Type.String({ maxLength: 1024 }))),
  privacy: Type.Optional(choice(['secret', 'closed'])),
  permission: Type.Optional(choice(['pull', 'push', 'admin'])),
  parent_team_id: Type.Optional(orNull(Type.Integer())),
};

export const slugTaken: FieldError = {
  resource: 'Team',
  code: 'already_exists',
  field: 'name',
  message: 'Another team of the organization already has this name.',
};

export const noParents: FieldError = {
  resource: 'Team',
  code: 'custom',
  field: 'parent_team_id',
  message: 'Nested teams are not supported.',
};
