import { accountsById } from '../../accounts/account-store.ts';
import { notFound } from '../../errors/api-error.ts';
import { readPage } from '../../http/pagination.ts';
import type { Account } from '../../model/account.ts';
import type { Release, ReleaseAsset } from '../../model/release.ts';
import { atLeast } from '../../model/permission.ts';
import { fullName } from '../../model/repository.ts';
import { assetsOfReleases, findAssetByName } from '../../releases/asset-store.ts';
import { downloadReply } from '../../releases/download-asset.ts';
import { draftIdOf, draftTag } from '../../releases/release-json.ts';
import {
  findRelease,
  findReleaseByTag,
  latestRelease,
  listReleases,
} from '../../releases/release-store.ts';
import { seesDrafts } from '../../releases/visible-release.ts';
import { ownTurn } from '#platform/in-turns.ts';
import { bytesText, html, type Html, pageLinks, timeElement } from '#web/html.ts';
import { page, type StreamResponse, type WebResponse } from '#web/web-response.ts';
import type { RepositoryContext } from '../kit/web-context.ts';
import { findReferences, type LinkText } from '../parts/references.ts';
import { longMarkdownView } from '../parts/markdown-view.ts';
import { repositoryHead } from '../parts/repository-views.ts';
import { pathIn } from '../parts/settings-nav.ts';

/** What a page of releases shows in addition. */
interface Shown {
  readonly releases: readonly Release[];
  readonly assets: readonly ReleaseAsset[];
  readonly authors: ReadonlyMap<number, Account>;
}

/** The releases of a repository, with drafts for those who can push. */
export async function showReleases(context: RepositoryContext): Promise<WebResponse> {
  const { ports, repository, urls, query, caller } = context;
  const name = fullName(repository);
  const bounds = readPage(query);
  const { shown, total } = await ports.database.read(async (sql) => {
    const withDrafts = await seesDrafts(sql, caller, repository);
    const list = await listReleases(sql, repository.id, withDrafts, bounds);
    const assets = await assetsOfReleases(
      sql,
      list.releases.map(({ id }) => id),
    );
    const authors = await accountsById(
      sql,
      list.releases.map(({ authorId }) => authorId),
    );
    return { shown: { releases: list.releases, assets, authors }, total: list.total };
  });
  const pageUrl = `${urls.repositoryHtml(name)}/releases`;
  const link = await findReferences(
    context,
    shown.releases.map(({ body }) => body),
  );
  return page(
    `Releases · ${name}`,
    html`${repositoryHead(context)}
    ${writes(context) ? html`<p><a class="button" href="${pageUrl}/new">New release</a></p>` : ''}
    ${
      total === 0
        ? html`<p class="empty">
            No release yet. Create one here, or with <code>gh release create</code>.
          </p>`
        : await releaseViews(context, { ...shown, link })
    }
    ${pageLinks(`${pageUrl}?`, bounds, bounds.offset + bounds.size < total)}`,
  );
}

/** The release of a tag, or a draft by its id. */
export async function showRelease(context: RepositoryContext): Promise<WebResponse> {
  const { repository, path } = context;
  const release = await releaseOfTag(context, path['*'] ?? '');
  const shown = await context.ports.database.read(async (sql) => ({
    releases: [release],
    assets: await assetsOfReleases(sql, [release.id]),
    authors: await accountsById(sql, [release.authorId]),
  }));
  const link = await findReferences(context, [release.body]);
  return page(
    `${release.name ?? release.tagName} · ${fullName(repository)}`,
    html`${repositoryHead(context)} ${await releaseView(context, release, { ...shown, link })}`,
  );
}

export async function leadToLatestRelease({
  ports,
  repository,
  urls,
}: RepositoryContext): Promise<WebResponse> {
  const latest = await ports.database.read((sql) => latestRelease(sql, repository.id));
  const name = fullName(repository);
  const location = latest
    ? urls.releaseHtml(name, latest.tagName)
    : `${urls.repositoryHtml(name)}/releases`;
  return { kind: 'redirect', location };
}

/** An asset by its tag and name. */
export async function downloadAsset(context: RepositoryContext): Promise<StreamResponse> {
  const [, tag = '', name = ''] = /^(.+)\/([^/]+)$/s.exec(context.path['*'] ?? '') ?? [];
  return downloadOf(context, await releaseOfTag(context, tag), name);
}

/** An asset of the latest release by its name. */
export async function downloadLatestAsset(context: RepositoryContext): Promise<StreamResponse> {
  const { ports, repository, path } = context;
  const latest = await ports.database.read((sql) => latestRelease(sql, repository.id));
  return downloadOf(context, latest ?? notFound(), path['name'] ?? '');
}

async function downloadOf(
  { ports }: RepositoryContext,
  release: Release,
  name: string,
): Promise<StreamResponse> {
  const asset = await ports.database.read((sql) => findAssetByName(sql, release.id, name));
  const reply = downloadReply(ports, asset ?? notFound());
  const file = { name: reply.name, tag: `"${reply.entityTag}"` };
  return { kind: 'stream', bytes: reply.bytes, file, open: reply.open };
}

export async function releaseOfTag(
  { ports, repository, caller }: RepositoryContext,
  tag: string,
): Promise<Release> {
  return ports.database.read(async (sql) => {
    const named = await findReleaseByTag(sql, repository.id, tag);
    const draftId = draftIdOf(tag);
    if (named || draftId === undefined) return named ?? notFound();
    const draft = await findRelease(sql, repository.id, draftId);
    return draft?.draft && (await seesDrafts(sql, caller, repository)) ? draft : notFound();
  });
}

function writes({ session, permission }: RepositoryContext): boolean {
  return session !== undefined && atLeast(permission, 'write');
}

/** One after the other: a page has one slot at a time for rendering long texts. */
async function releaseViews(
  context: RepositoryContext,
  shown: Shown & { readonly releases: readonly Release[]; readonly link: LinkText },
): Promise<readonly Html[]> {
  const views: Html[] = [];
  for (const release of shown.releases) {
    views.push(await releaseView(context, release, shown));
    await ownTurn();
  }
  return views;
}

async function releaseView(
  context: RepositoryContext,
  release: Release,
  { assets, authors, link }: Shown & { readonly link: LinkText },
): Promise<Html> {
  const { repository, urls, now, imageUrl } = context;
  const name = fullName(repository);
  const tag = release.draft ? draftTag(release) : release.tagName;
  const author = authors.get(release.authorId);
  const own = assets.filter(({ releaseId }) => releaseId === release.id);
  return html`<article>
    <h2><a href="${urls.releaseHtml(name, tag)}">${release.name || release.tagName}</a></h2>
    <p class="soft">
      ${release.draft ? html`<span class="mark">draft</span> ` : ''}
      ${release.prerelease ? html`<span class="mark">prerelease</span> ` : ''}
      <code>${release.tagName}</code> ${author ? html`by ${author.login}` : ''}
      ${timeElement(release.publishedAt ?? release.createdAt, now)}
      ${writes(context) ? html`· <a href="${releaseEditorPath(context, release)}" aria-label="Edit the release ${tag}">Edit</a>` : ''}
    </p>
    ${release.body ? await longMarkdownView(release.body, { link, imageUrl }) : ''}
    <ul class="rows">
      ${own.map(
        (asset) =>
          html`<li>
            <a class="grow" href="${urls.releaseDownload(name, tag, asset.name)}">${asset.name}</a>
            <span class="soft">${bytesText(asset.size)}</span>
          </li>`,
      )}
    </ul>
  </article>`;
}

/** The URL of the forms of a release. */
export function releaseEditorPath(context: RepositoryContext, release: Release): string {
  const { urls, repository } = context;
  const tag = release.draft ? draftTag(release) : release.tagName;
  const shown = new URL(urls.releaseHtml(fullName(repository), tag)).pathname;
  return pathIn(context, `releases/edit/${shown.slice(pathIn(context, 'releases/tag/').length)}`);
}
