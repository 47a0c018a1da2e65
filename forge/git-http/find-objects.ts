import type { Sql } from '#platform/database/database.ts';

import { holdersOf, type LfsObject, objectsIn } from '../large-files/lfs-object-store.ts';
import type { Caller } from '../model/caller.ts';
import { atLeast } from '../model/permission.ts';
import { permissionsIn } from '../repositories/repository-access.ts';

export interface FoundObjects {
  /** What the repository itself has. */
  readonly own: ReadonlyMap<string, LfsObject>;
  /** What it lacks and the caller may read elsewhere in its network. */
  readonly shared: ReadonlyMap<string, LfsObject>;
}

/** Objects by id for a caller who may read the repository. */
export async function findObjects(
  sql: Sql,
  caller: Caller,
  repositoryId: number,
  oids: readonly string[],
): Promise<FoundObjects> {
  const own = await objectsIn(sql, [repositoryId], oids);
  const missing = oids.filter((oid) => !own.has(oid));
  const holders = await holdersOf(sql, repositoryId, missing);
  const permissions = await permissionsIn(sql, caller, holders);
  const readable = holders.filter((id) => atLeast(permissions.get(id) ?? 'none', 'read'));
  return { own, shared: await objectsIn(sql, readable, missing) };
}
