import { representAccount } from '../accounts/account-json.ts';
import { type Json, timestamp } from '../json/json-values.ts';
import { nodeId } from '../json/node-id.ts';
import type { Urls } from '../json/urls.ts';
import type { Account } from '../model/account.ts';
import type { ReactionCounts } from '../model/reaction.ts';
import { representReactionCounts } from '../reactions/reaction-json.ts';
import type { Release, ReleaseAsset } from '../model/release.ts';

type Representation = { [field: string]: Json };

export interface ReleaseRelations {
  readonly repositoryName: string;
  readonly accounts: ReadonlyMap<number, Account>;
  readonly assets: readonly ReleaseAsset[];
  readonly reactions: ReadonlyMap<number, ReactionCounts>;
}

/** A release. The tag of a draft need not exist, so its archives are no link yet. */
export function representRelease(
  release: Release,
  { repositoryName, accounts, assets, reactions }: ReleaseRelations,
  urls: Urls,
): Representation {
  const { draft, tagName } = release;
  const url = urls.release(repositoryName, release.id);
  const author = accounts.get(release.authorId);
  return {
    url,
    assets_url: `${url}/assets`,
    upload_url: `${urls.assetUpload(repositoryName, release.id)}{?name,label}`,
    html_url: releasePage(release, repositoryName, urls),
    id: release.id,
    author: author ? representAccount(author, urls) : null,
    node_id: nodeId('Release', release.id),
    tag_name: tagName,
    target_commitish: release.targetCommitish,
    name: release.name,
    draft,
    immutable: false,
    prerelease: release.prerelease,
    created_at: timestamp(release.createdAt),
    updated_at: timestamp(release.updatedAt),
    published_at: timestamp(release.publishedAt),
    assets: assets
      .filter((asset) => asset.releaseId === release.id)
      .map((asset) =>
        representAsset(asset, accounts.get(asset.uploaderId), { repositoryName, release }, urls),
      ),
    tarball_url: draft ? null : urls.archive(repositoryName, 'tarball', tagName),
    zipball_url: draft ? null : urls.archive(repositoryName, 'zipball', tagName),
    body: release.body,
    reactions: representReactionCounts(reactions.get(release.id), url),
  };
}

/** An asset of a release. */
export function representAsset(
  asset: ReleaseAsset,
  uploader: Account | undefined,
  { repositoryName, release }: { readonly repositoryName: string; readonly release: Release },
  urls: Urls,
): Representation {
  const tag = release.draft ? draftTag(release) : release.tagName;
  return {
    url: urls.releaseAsset(repositoryName, asset.id),
    id: asset.id,
    node_id: nodeId('ReleaseAsset', asset.id),
    name: asset.name,
    label: asset.label,
    uploader: uploader ? representAccount(uploader, urls) : null,
    content_type: asset.contentType,
    state: 'uploaded',
    size: asset.size,
    digest: `sha256:${asset.sha256}`,
    download_count: asset.downloadCount,
    created_at: timestamp(asset.createdAt),
    updated_at: timestamp(asset.updatedAt),
    browser_download_url: urls.releaseDownload(repositoryName, tag, asset.name),
  };
}

/** A draft's page cannot be named by a tag, which another release may have. */
export function releasePage(release: Release, repositoryName: string, urls: Urls): string {
  return urls.releaseHtml(repositoryName, release.draft ? draftTag(release) : release.tagName);
}

export function draftTag({ id }: Release): string {
  return `${draftPrefix}${id}`;
}

const draftPrefix = 'untagged-';

/** The draft that the last part of a page's URL names. */
export function draftIdOf(tag: string): number | undefined {
  const id = /^untagged-([1-9]\d{0,14})$/.exec(tag)?.[1];
  return id === undefined ? undefined : Number(id);
}
