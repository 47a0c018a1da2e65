import type { Sql } from '#platform/database/database.ts';

import { notFound } from '../errors/api-error.ts';
import type { Caller } from '../model/caller.ts';
import { atLeast } from '../model/permission.ts';
import type { Release, ReleaseAsset } from '../model/release.ts';
import type { Repository } from '../model/repository.ts';
import { permissionIn } from '../repositories/repository-access.ts';
import { findAsset } from './asset-store.ts';
import { findRelease } from './release-store.ts';

/** Who may push, with a token that may: one that may not write sees no drafts either. */
export async function seesDrafts(
  sql: Sql,
  caller: Caller,
  repository: Repository,
): Promise<boolean> {
  return atLeast(await permissionIn(sql, caller, repository.id, true), 'write');
}

/** The release of this id, if the caller may see it. */
export async function visibleRelease(
  sql: Sql,
  caller: Caller,
  repository: Repository,
  id: number,
): Promise<Release> {
  const release = (await findRelease(sql, repository.id, id)) ?? notFound();
  return !release.draft || (await seesDrafts(sql, caller, repository)) ? release : notFound();
}

/** The asset of this id, if the caller may see its release. */
export async function visibleAsset(
  sql: Sql,
  caller: Caller,
  repository: Repository,
  id: number,
): Promise<ReleaseAsset> {
  const asset = (await findAsset(sql, repository.id, id)) ?? notFound();
  await visibleRelease(sql, caller, repository, asset.releaseId);
  return asset;
}
