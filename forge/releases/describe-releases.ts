import type { Sql } from '#platform/database/database.ts';

import { accountsById } from '../accounts/account-store.ts';
import type { Json } from '../json/json-values.ts';
import type { Urls } from '../json/urls.ts';
import type { Release, ReleaseAsset } from '../model/release.ts';
import { fullName, type Repository } from '../model/repository.ts';
import { countReactions } from '../reactions/reaction-store.ts';
import { assetsOfReleases } from './asset-store.ts';
import { representAsset, representRelease } from './release-json.ts';

type Representation = { [field: string]: Json };

/** Representations of releases with their authors, assets and reactions, in three statements. */
export async function describeReleases(
  sql: Sql,
  repository: Repository,
  releases: readonly Release[],
  urls: Urls,
): Promise<Representation[]> {
  return describeReleasesIn(sql, releases, () => repository, urls);
}

/** Like `describeReleases`, for releases of several repositories in as many statements. */
export async function describeReleasesIn(
  sql: Sql,
  releases: readonly Release[],
  repositoryOf: (release: Release) => Repository,
  urls: Urls,
): Promise<Representation[]> {
  const ids = releases.map(({ id }) => id);
  const assets = await assetsOfReleases(sql, ids);
  const reactions = await countReactions(sql, 'release', ids);
  const accounts = await accountsById(sql, [
    ...releases.map(({ authorId }) => authorId),
    ...assets.map(({ uploaderId }) => uploaderId),
  ]);
  return releases.map((release) => {
    const repositoryName = fullName(repositoryOf(release));
    return representRelease(release, { repositoryName, accounts, assets, reactions }, urls);
  });
}

export async function describeRelease(
  sql: Sql,
  repository: Repository,
  release: Release,
  urls: Urls,
): Promise<Representation> {
  const [representation] = await describeReleases(sql, repository, [release], urls);
  if (!representation) throw new Error('a release was described as nothing');
  return representation;
}

export async function describeAssets(
  sql: Sql,
  repository: Repository,
  release: Release,
  assets: readonly ReleaseAsset[],
  urls: Urls,
): Promise<Representation[]> {
  const accounts = await accountsById(
    sql,
    assets.map(({ uploaderId }) => uploaderId),
  );
  const of = { repositoryName: fullName(repository), release };
  return assets.map((asset) => representAsset(asset, accounts.get(asset.uploaderId), of, urls));
}
