import type { Sql } from '#platform/database/database.ts';

import { refuse } from '../errors/api-error.ts';
import {
  locateById,
  locateByName,
  type LocatedRepository,
  locateRedirect,
} from '../permissions/access-store.ts';
import {
  refuseArchived,
  type RepositoryAuthorization,
  type RepositoryLocator,
} from './repository-access.ts';

/** What a deploy key gives access to. */
export interface DeployKeyGrant {
  readonly repositoryId: number;
  readonly readOnly: boolean;
}

/** Checks that the key of a repository may read or change the located one: any other does not exist for it. */
export async function authorizeDeployKey(
  sql: Sql,
  { repositoryId, readOnly }: DeployKeyGrant,
  locator: RepositoryLocator,
  changes: boolean,
): Promise<RepositoryAuthorization> {
  const located = await locate(sql, locator);
  if (located?.id !== repositoryId) {
    const movedTo =
      !located && 'owner' in locator
        ? await locateRedirect(sql, locator.owner, locator.name)
        : undefined;
    return movedTo === repositoryId
      ? authorizeDeployKey(sql, { repositoryId, readOnly }, { id: movedTo }, changes)
      : refuse({ kind: 'not-found' });
  }
  if (changes && readOnly) {
    const message = 'The key you are authenticating with has been marked as read only.';
    return refuse({ kind: 'forbidden', message });
  }
  if (changes && located.archived) return refuseArchived();
  return { repositoryId, permission: changes ? 'write' : 'read', networkId: located.networkId };
}

const noAccount = 0;

function locate(sql: Sql, locator: RepositoryLocator): Promise<LocatedRepository | undefined> {
  return 'id' in locator
    ? locateById(sql, locator.id, noAccount)
    : locateByName(sql, locator.owner, locator.name, noAccount);
}
