import type { Sql } from '#platform/database/database.ts';

import type { Caller } from '../model/caller.ts';
import { atLeast } from '../model/permission.ts';
import { permissionIn } from '../repositories/repository-access.ts';
import type { Pull } from '../model/pull.ts';

/**
 * Whether the caller may push to a pull's head: with write access to the head repository, or with write access to the base
 * repository if the author allows edits by maintainers.
 */
export async function mayPushToHead(sql: Sql, caller: Caller, pull: Pull): Promise<boolean> {
  if (pull.head.repositoryId === null) return false;
  if (atLeast(await permissionIn(sql, caller, pull.head.repositoryId, true), 'write')) return true;
  return (
    pull.maintainerCanModify &&
    atLeast(await permissionIn(sql, caller, pull.repositoryId, true), 'write')
  );
}
