import type { GrantedPermission } from './permission.ts';
import { invalid } from '../errors/api-error.ts';

/** Members of an organization who are given permissions in its repositories together. */
export interface Team {
  readonly id: number;
  readonly organization: { readonly id: number; readonly login: string };
  readonly name: string;
  /** The name as URLs have it; no two teams of an organization have the same. */
  readonly slug: string;
  readonly description: string | null;
  /** `secret`: known to its members and the owners of the organization only. */
  readonly privacy: TeamPrivacy;
  /** What it is given in repositories where nothing else is said. */
  readonly permission: GrantedPermission;
  readonly members: number;
  readonly repositories: number;
  /** Milliseconds since the epoch. */
  readonly createdAt: number;
  readonly updatedAt: number;
}

export type TeamPrivacy = 'secret' | 'closed';

/** Maintainers change the team and who is in it. */
export type TeamRole = 'member' | 'maintainer';

/** Name of a team. */
export const teamNameCharactersMax = 255;

/** The name as URLs have it, or a refusal where nothing is left of it. */
export function slugOfTeam(name: string): string {
  if (Array.from(name).length > teamNameCharactersMax) {
    const message = `name is too long (maximum is ${teamNameCharactersMax} characters)`;
    return invalid({ resource: 'Team', field: 'name', code: 'custom', message });
  }
  const slug = name
    .normalize('NFKD')
    .toLowerCase()
    .replaceAll(/\p{Mark}/gu, '')
    .replaceAll(/[^a-z0-9_.-]+/g, '-')
    .replaceAll(/^-+|-+$/g, '');
  if (slug !== '' && !/^\.+$/.test(slug)) return slug;
  const message = 'name must contain a Latin letter or a digit';
  return invalid({ value: name, resource: 'Team', field: 'name', code: 'custom', message });
}
