/** The permissions in a repository, lowest first. `none`: the user has no access to a private repository. */
export const permissions = ['none', 'read', 'triage', 'write', 'maintain', 'admin'] as const;

export type Permission = (typeof permissions)[number];
/** What can be granted or offered: everything but `none`. */
export type GrantedPermission = Exclude<Permission, 'none'>;

/** The values in requests: the API of collaborators uses `pull` and `push`, that of invitations `read` and `write`. */
const apiPermissions: Readonly<Record<string, GrantedPermission>> = {
  pull: 'read',
  push: 'write',
  triage: 'triage',
  maintain: 'maintain',
  admin: 'admin',
};

export function atLeast(have: Permission, required: Permission): boolean {
  return permissions.indexOf(have) >= permissions.indexOf(required);
}

export function highest(...candidates: readonly Permission[]): Permission {
  return candidates.reduce((best, next) => (atLeast(next, best) ? next : best), 'none');
}

/** `pull`, `push`, `triage`, `maintain`, `admin` as the collaborators interface spells them. */
export function parseApiPermission(text: string): GrantedPermission | undefined {
  return Object.hasOwn(apiPermissions, text) ? apiPermissions[text] : undefined;
}

/** The three legacy values (`maintain` is reported as `write`, `triage` as `read`). */
export function legacyPermission(permission: Permission): 'none' | 'read' | 'write' | 'admin' {
  switch (permission) {
    case 'none':
      return 'none';
    case 'read':
    case 'triage':
      return 'read';
    case 'write':
    case 'maintain':
      return 'write';
    case 'admin':
      return 'admin';
  }
}

export interface PermissionFlags {
  admin: boolean;
  maintain: boolean;
  push: boolean;
  triage: boolean;
  pull: boolean;
}

/** The `permissions` object of repositories and collaborators. */
export function permissionFlags(permission: Permission): PermissionFlags {
  return {
    admin: atLeast(permission, 'admin'),
    maintain: atLeast(permission, 'maintain'),
    push: atLeast(permission, 'write'),
    triage: atLeast(permission, 'triage'),
    pull: atLeast(permission, 'read'),
  };
}
