import type { Sql } from '#platform/database/database.ts';
import { uniqueViolation } from '#platform/database/constraint-violation.ts';

import { notFound } from '../errors/api-error.ts';
import { created, noContent, ok, page as pageResult } from '../http/endpoint-result.ts';
import type { Json } from '../json/json-values.ts';
import type { Urls } from '../json/urls.ts';
import type { ReleaseAsset } from '../model/release.ts';
import { fullName, type Repository, repositoryQueue } from '../model/repository.ts';
import { mayPush, mayRead } from '../repositories/repository-access.ts';
import { repositoryEndpoint, type Endpoint } from '../routing/endpoint.ts';
import {
  editAssetBody,
  readAssetLabel,
  readAssetName,
  refuseTakenAssetName,
} from './asset-input.ts';
import { deleteAsset, findAsset, listAssets, renameAsset } from './asset-store.ts';
import { describeAssets } from './describe-releases.ts';
import { downloadReply } from './download-asset.ts';
import { findRelease } from './release-store.ts';
import { uploadAsset } from './upload-asset.ts';
import { visibleAsset, visibleRelease } from './visible-release.ts';

/** The assets of releases. */
export const assetRoutes: readonly Endpoint[] = [
  repositoryEndpoint({
    operation: 'repos/list-release-assets',
    method: 'GET',
    path: '/repos/:owner/:repo/releases/:release_id/assets',
    docs: 'releases#list-release-assets',
    acceptedScopes: 'repo',
    policy: mayRead,
    async handle({ path, page, caller, urls }, { repository }, { database }) {
      return database.read(async (sql) => {
        const release = await visibleRelease(sql, caller, repository, path.release_id);
        const { assets, total } = await listAssets(sql, release.id, page);
        return pageResult(await describeAssets(sql, repository, release, assets, urls), total);
      });
    },
  }),

  /** The asset, or its bytes for those who ask for `application/octet-stream`. */
  repositoryEndpoint({
    operation: 'repos/get-release-asset',
    method: 'GET',
    path: '/repos/:owner/:repo/releases/assets/:asset_id',
    docs: 'releases#get-a-release-asset',
    acceptedScopes: 'repo',
    policy: mayRead,
    sendsFiles: 'on request',
    async handle({ path, caller, media, urls }, { repository }, ports) {
      const { asset_id: id } = path;
      const asset = await ports.database.read((sql) => visibleAsset(sql, caller, repository, id));
      if (media.format === 'octet-stream') return downloadReply(ports, asset);
      return ok(await ports.database.read((sql) => describeAsset(sql, repository, asset, urls)));
    },
  }),

  repositoryEndpoint({
    operation: 'repos/upload-release-asset',
    method: 'POST',
    path: '/repos/:owner/:repo/releases/:release_id/assets',
    docs: 'releases#upload-a-release-asset',
    policy: mayPush,
    takesUpload: true,
    async handle({ path, query, caller, upload, urls, now }, { repository }, ports) {
      if (!upload) throw new Error('an upload has no body');
      const name = readAssetName(query.get('name'));
      const label = readAssetLabel(query.get('label'));
      const release =
        (await ports.database.read((sql) => findRelease(sql, repository.id, path.release_id))) ??
        notFound();
      const uploaderId = caller.account.id;
      const id = await uploadAsset(ports, { release, uploaderId, name, label, upload, now });
      const shown = await ports.database.read(async (sql) => {
        const asset = (await findAsset(sql, repository.id, id)) ?? notFound();
        return describeAsset(sql, repository, asset, urls);
      });
      return created(shown, urls.releaseAsset(fullName(repository), id));
    },
  }),

  repositoryEndpoint({
    operation: 'repos/update-release-asset',
    method: 'PATCH',
    path: '/repos/:owner/:repo/releases/assets/:asset_id',
    docs: 'releases#update-a-release-asset',
    policy: mayPush,
    body: editAssetBody,
    async handle({ path, body, urls, now }, { repository }, { database }) {
      const name = body.name === undefined ? undefined : readAssetName(body.name);
      const label = body.label === undefined ? undefined : readAssetLabel(body.label);
      const shown = await database
        .write(
          async (sql) => {
            const asset = (await findAsset(sql, repository.id, path.asset_id)) ?? notFound();
            const next = { name: name ?? asset.name, label: label ?? asset.label, now };
            await renameAsset(sql, asset.id, body.label === null ? { ...next, label: null } : next);
            const renamed = (await findAsset(sql, repository.id, asset.id)) ?? notFound();
            return describeAsset(sql, repository, renamed, urls);
          },
          { queue: repositoryQueue(repository.id) },
        )
        .catch((error: unknown) =>
          uniqueViolation(error) ? refuseTakenAssetName() : Promise.reject(error),
        );
      return ok(shown);
    },
  }),

  /** Its file is removed a day later, because a running backup may name it. */
  repositoryEndpoint({
    operation: 'repos/delete-release-asset',
    method: 'DELETE',
    path: '/repos/:owner/:repo/releases/assets/:asset_id',
    docs: 'releases#delete-a-release-asset',
    policy: mayPush,
    async handle({ path }, { repository }, { database }) {
      await database.write(
        async (sql) => {
          const asset = (await findAsset(sql, repository.id, path.asset_id)) ?? notFound();
          await deleteAsset(sql, asset.id);
        },
        { queue: repositoryQueue(repository.id) },
      );
      return noContent();
    },
  }),
];

async function describeAsset(
  sql: Sql,
  repository: Repository,
  asset: ReleaseAsset,
  urls: Urls,
): Promise<Json> {
  const release = (await findRelease(sql, repository.id, asset.releaseId)) ?? notFound();
  const [shown] = await describeAssets(sql, repository, release, [asset], urls);
  return shown ?? notFound();
}
