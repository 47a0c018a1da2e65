import { legacyPermission, type Permission, permissionFlags } from '../model/permission.ts';
import { representAccount } from '../accounts/account-json.ts';
import type { Account } from '../model/account.ts';
import type { Json } from '../json/json-values.ts';
import type { Urls } from '../json/urls.ts';
import type { Collaborator } from '../repositories/collaborator-store.ts';

type Representation = { [field: string]: Json };

/** An entry of the list of collaborators. */
export function representCollaborator(
  { account, permission }: Collaborator,
  urls: Urls,
): Representation {
  return {
    ...representAccount(account, urls),
    permissions: { ...permissionFlags(permission) },
    role_name: permission,
  };
}

/** `permission` has one of the four legacy values, `role_name` any role. */
export function representPermission(
  account: Account,
  permission: Permission,
  urls: Urls,
): Representation {
  return {
    permission: legacyPermission(permission),
    user: {
      ...representAccount(account, urls),
      permissions: { ...permissionFlags(permission) },
      role_name: permission,
    },
    role_name: permission,
  };
}
