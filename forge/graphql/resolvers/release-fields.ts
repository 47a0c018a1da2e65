import type { Sql } from '#platform/database/database.ts';

import { parseRefName } from '../../git/names.ts';
import { timestamp } from '../../json/json-values.ts';
import { nodeId } from '../../json/node-id.ts';
import type { Release } from '../../model/release.ts';
import { fullName } from '../../model/repository.ts';
import { releasePage } from '../../releases/release-json.ts';
import {
  findDraftByTag,
  findReleaseByTag,
  latestRelease,
  listReleases,
  releasesById,
} from '../../releases/release-store.ts';
import { seesDrafts } from '../../releases/visible-release.ts';
import { type Arguments, optionalObject, optionalText, textArgument } from '../engine/arguments.ts';
import { type Connection, connectList } from '../engine/connection.ts';
import { type Fields, type GraphqlContext, pathOfUrl, type Resolvers } from './context.ts';
import { inGit, findCommitSource, findRefSource } from './git-objects.ts';
import type { ReleaseSource, RepositorySource } from './sources.ts';

/** The latest releases; a connection shows no more. */
const listed = { offset: 0, size: 1000 };

const repositoryFields: Fields<RepositorySource> = {
  latestRelease: (at, _values, context) =>
    enter(at, 'repos/get-latest-release', context, async (sql) => {
      const latest = await latestRelease(sql, at.repository.id);
      return latest ? releaseSource(at, latest, latest.id) : null;
    }),
  /** Also a draft, for those who can push. */
  release: (at, values, context) =>
    enter(at, 'repos/get-release-by-tag', context, async (sql) => {
      const { repository } = at;
      const tag = textArgument(values, 'tagName');
      const draft = async (): Promise<Release | undefined> =>
        (await seesDrafts(sql, context.request.caller, repository))
          ? findDraftByTag(sql, repository.id, tag)
          : undefined;
      const found = (await findReleaseByTag(sql, repository.id, tag)) ?? (await draft());
      return found ? releaseSource(at, found, await latestId(sql, at)) : null;
    }),
  releases: releasesOf,
};

function releasesOf(
  at: RepositorySource,
  values: Arguments,
  context: GraphqlContext,
): Connection<ReleaseSource> {
  const order = optionalObject(values, 'orderBy') ?? {};
  const byName = optionalText(order, 'field') === 'NAME';
  const ascending = optionalText(order, 'direction') === 'ASC';
  const list = (): Promise<ReleaseSource[]> =>
    enter(at, 'repos/list-releases', context, async (sql) => {
      const withDrafts = await seesDrafts(sql, context.request.caller, at.repository);
      const { releases } = await listReleases(sql, at.repository.id, withDrafts, listed);
      const ordered = byName ? releases.toSorted(byNameDescending) : releases;
      const latest = await latestId(sql, at);
      return (ascending ? ordered.toReversed() : ordered).map((release) =>
        releaseSource(at, release, latest),
      );
    });
  return connectList('releases', values, list, ({ release }) => release.id);
}

function byNameDescending(one: Release, other: Release): number {
  return (other.name ?? other.tagName).localeCompare(one.name ?? one.tagName, 'en');
}

async function enter<T>(
  { repository }: RepositorySource,
  operation: string,
  { access, ports }: GraphqlContext,
  work: (sql: Sql) => Promise<T>,
): Promise<T> {
  await access({ id: repository.id }, operation);
  return ports.database.read(work);
}

async function latestId(sql: Sql, { repository }: RepositorySource): Promise<number | undefined> {
  return (await latestRelease(sql, repository.id))?.id;
}

/** The release of a global id; a draft for those who can push. */
export async function findReleaseNode(
  id: number,
  { access, ports, request }: GraphqlContext,
): Promise<ReleaseSource | null> {
  const [release] = await ports.database.read((sql) => releasesById(sql, [id]));
  if (!release) return null;
  const at = await access({ id: release.repositoryId }, 'repos/get-release');
  return ports.database.read(async (sql) => {
    const shown = !release.draft || (await seesDrafts(sql, request.caller, at.repository));
    return shown ? releaseSource(at, release, await latestId(sql, at)) : null;
  });
}

function releaseSource(
  at: RepositorySource,
  release: Release,
  latest: number | undefined,
): ReleaseSource {
  return { typeName: 'Release', at, release, isLatest: release.id === latest };
}

const releaseFields: Fields<ReleaseSource> = {
  id: ({ release }) => nodeId('Release', release.id),
  databaseId: ({ release }) => release.id,
  // The bot of an App is no user.
  author: async ({ release }, _values, { loaders }) => {
    const author = await loaders.account(release.authorId);
    return author?.typeName === 'User' ? author : null;
  },
  createdAt: ({ release }) => timestamp(release.createdAt),
  description: ({ release }) => release.body,
  isDraft: ({ release }) => release.draft,
  isLatest: ({ isLatest }) => isLatest,
  isPrerelease: ({ release }) => release.prerelease,
  name: ({ release }) => release.name,
  publishedAt: ({ release }) => timestamp(release.publishedAt),
  repository: ({ at }) => at,
  tagName: ({ release }) => release.tagName,
  updatedAt: ({ release }) => timestamp(release.updatedAt),
  url: (source, _values, context) => releaseUrl(source, context),
  resourcePath: (source, _values, context) => pathOfUrl(releaseUrl(source, context)),
  tag: ({ at, release }, _values, context) => {
    const ref = parseRefName(`refs/tags/${release.tagName}`);
    return ref ? findRefSource(at, ref, context) : null;
  },
  tagCommit: async ({ at, release }, _values, context) => {
    const tag = `refs/tags/${release.tagName}`;
    const commit = await inGit(at, context, (git) => git.resolveCommit(tag));
    return commit ? findCommitSource(at, commit, context) : null;
  },
};

function releaseUrl({ at, release }: ReleaseSource, { request }: GraphqlContext): string {
  return releasePage(release, fullName(at.repository), request.urls);
}

export const releaseResolvers: Resolvers = {
  Repository: repositoryFields,
  Release: releaseFields,
};
