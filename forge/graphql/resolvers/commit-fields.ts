import type { KeysetBounds } from '#platform/database/keyset-store.ts';

import type { Commit, LogOptions, Signature } from '../../git/git.ts';
import { type ObjectId, parseObjectId, parseTreePath } from '../../git/names.ts';
import { nodeId } from '../../json/node-id.ts';
import { timestamp } from '../../json/json-values.ts';
import { fullName } from '../../model/repository.ts';
import { type Arguments, optionalInteger, optionalText } from '../engine/arguments.ts';
import { connect, type Connection, connectList, type ItemSlice } from '../engine/connection.ts';
import { type Fields, type GraphqlContext, always, pathOfUrl, type Resolvers } from './context.ts';
import { blameOf, blameResolvers } from './blame-fields.ts';
import { inGit, findCommitSource } from './git-objects.ts';
import type { CommitSource, RepositorySource } from './sources.ts';

const abbreviated = 7;

function urlOf({ at, commit }: CommitSource, { request }: GraphqlContext): string {
  return request.urls.commitHtml(fullName(at.repository), commit.id);
}

/** Of every git object. */
export function objectFields<Source extends { readonly at: RepositorySource }>(
  typeName: string,
  idOf: (source: Source) => ObjectId,
): Fields<Source> {
  return {
    id: (source) => nodeId(typeName, `${source.at.repository.id}:${idOf(source)}`),
    oid: idOf,
    abbreviatedOid: (source) => idOf(source).slice(0, abbreviated),
    repository: ({ at }) => at,
    commitUrl: (source, _values, { request }) =>
      request.urls.commitHtml(fullName(source.at.repository), idOf(source)),
    commitResourcePath: (source, _values, { request }) =>
      pathOfUrl(request.urls.commitHtml(fullName(source.at.repository), idOf(source))),
  };
}

const commitFields: Fields<CommitSource> = {
  ...objectFields('Commit', ({ commit }: CommitSource) => commit.id),
  url: urlOfCommit,
  resourcePath: (source, _values, context) => pathOfUrl(urlOf(source, context)),
  message: ({ commit }) => commit.message,
  messageHeadline: ({ commit }) => commit.message.split('\n', 1)[0] ?? '',
  messageBody: ({ commit }) => bodyOf(commit.message),
  author: ({ commit }) => commit.author,
  committer: ({ commit }) => commit.committer,
  authoredDate: ({ commit }) => timestamp(commit.author.seconds * 1000),
  committedDate: ({ commit }) => timestamp(commit.committer.seconds * 1000),
  authoredByCommitter: ({ commit }) => commit.author.email === commit.committer.email,
  committedViaWeb: always(false),
  authors: ({ commit }, values) =>
    connectList(
      'authors',
      values,
      async () => authorsOf(commit),
      ({ email }) => email,
    ),
  additions: async (source, _values, context) => (await statOf(source, context)).additions,
  deletions: async (source, _values, context) => (await statOf(source, context)).deletions,
  changedFiles: async (source, _values, context) => (await statOf(source, context)).files,
  changedFilesIfAvailable: async (source, _values, context) =>
    (await statOf(source, context)).files,
  tree: ({ at, commit }) => ({ typeName: 'Tree', at, id: commit.tree, size: 0 }),
  treeUrl: ({ at, commit }, _values, { request }) =>
    request.urls.treeHtml(fullName(at.repository), commit.id, ''),
  treeResourcePath: ({ at, commit }, _values, { request }) =>
    pathOfUrl(request.urls.treeHtml(fullName(at.repository), commit.id, '')),
  parents: ({ at, commit }, values, context) =>
    connectList(
      'parents',
      values,
      async () => {
        const parents = await Promise.all(
          commit.parents.map((id) => findCommitSource(at, id, context)),
        );
        return parents.flatMap((parent) => parent ?? []);
      },
      (parent) => parent.commit.id,
    ),
  history: historyOf,
  blame: blameOf,
};

function urlOfCommit(source: CommitSource, _values: Arguments, context: GraphqlContext): string {
  return urlOf(source, context);
}

/** The message without its first line and the empty line after it. */
export function bodyOf(message: string): string {
  const end = message.indexOf('\n');
  return end === -1 ? '' : message.slice(end + 1).replace(/^\n+/, '');
}

async function statOf(
  { at, commit }: CommitSource,
  context: GraphqlContext,
): Promise<{ files: number; additions: number; deletions: number }> {
  return context.loaders.commitStat({ at, commit });
}

/** The author, and those whom `Co-authored-by` lines name. */
function authorsOf({ author, message }: Commit): Signature[] {
  const others = [...message.matchAll(/^co-authored-by:\s*(.+?)\s*<([^<>]+)>\s*$/gim)].flatMap(
    ([, name, email]): Signature[] =>
      name === undefined || email === undefined ? [] : [{ ...author, name, email }],
  );
  return [author, ...others.filter(({ email }) => email !== author.email)];
}

/** Commits are numbered from the one that the history begins with, which no push changes. */
function historyOf(
  { at, commit }: CommitSource,
  values: Arguments,
  context: GraphqlContext,
): Connection<CommitSource> {
  const path = parseTreePath(optionalText(values, 'path') ?? '');
  const since = secondsOf(optionalText(values, 'since'));
  const until = secondsOf(optionalText(values, 'until'));
  const filter = {
    from: commit.id,
    ...(path ? { path } : {}),
    ...(since === undefined ? {} : { since }),
    ...(until === undefined ? {} : { until }),
  };
  const count = (): Promise<number> =>
    inGit(at, context, async (git) => {
      const filtered = path !== undefined || since !== undefined || until !== undefined;
      if (!filtered) return git.countCommits(commit.id, []);
      return (await git.log({ ...filter, max: countedMax, withoutText: true })).length;
    });
  return connectLog('history', values, at, context, filter, count);
}

/** Commits that GraphQL counts where a history is filtered: git has to print them. */
const countedMax = 10_000;

/** Commits as git lists them; a cursor holds the number of the commit. */
export function connectLog(
  name: string,
  values: Arguments,
  at: RepositorySource,
  context: GraphqlContext,
  filter: Omit<LogOptions, 'max' | 'skip'>,
  total: () => Promise<number>,
): Connection<CommitSource> {
  const load = async (bounds: KeysetBounds): Promise<ItemSlice<CommitSource>> => {
    const after = bounds.after ? bounds.after.tie + 1 : 0;
    const limit = bounds.before?.tie;
    const end = bounds.fromEnd ? (limit ?? (await total())) : undefined;
    const skip = end === undefined ? after : Math.max(after, end - bounds.size);
    const max = end === undefined ? bounds.size : Math.max(0, end - skip);
    if (max === 0) return { items: [], more: false };
    const commits = await inGit(at, context, (git) =>
      git.log({ ...filter, skip, max: end === undefined ? max + 1 : max }),
    );
    const shown = commits.slice(0, limit === undefined ? max : Math.min(max, limit - skip));
    const items = shown.map((commit, index) => ({
      node: { typeName: 'Commit', at, commit } as const,
      key: { by: commit.id, tie: skip + index },
    }));
    return { items, more: end === undefined ? commits.length > max : skip > after };
  };
  return connect(name, values, { load, total, keys: 'text' });
}

function secondsOf(text: string | undefined): number | undefined {
  return text === undefined ? undefined : Math.floor(Date.parse(text) / 1000);
}

const actorFields: Fields<Signature> = {
  name: ({ name }) => name,
  email: ({ email }) => email,
  date: ({ seconds, offsetMinutes }) => gitTimestamp(seconds, offsetMinutes),
  user: ({ email }, _values, { loaders }) => loaders.userByEmail(email),
  avatarUrl: async ({ email }, values, { loaders, request }) => {
    const user = await loaders.userByEmail(email);
    const size = optionalInteger(values, 'size');
    const url = request.urls.avatar(user?.account.id ?? 0);
    return size === undefined ? url : `${url}&s=${size}`;
  },
};

/** With the offset that the commit has, unlike every other time. */
function gitTimestamp(seconds: number, offsetMinutes: number): string {
  const date = new Date((seconds + offsetMinutes * 60) * 1000);
  // Clients read years of four digits only.
  if (date.getUTCFullYear() > 9999) return timestamp(seconds * 1000);
  const local = date.toISOString().slice(0, 19);
  const minutes = Math.abs(offsetMinutes);
  const sign = offsetMinutes < 0 ? '-' : '+';
  return offsetMinutes === 0
    ? `${local}Z`
    : `${local}${sign}${twoDigits(Math.floor(minutes / 60))}:${twoDigits(minutes % 60)}`;
}

function twoDigits(value: number): string {
  return String(value).padStart(2, '0');
}

export function objectId(text: string | undefined): ObjectId | undefined {
  return text === undefined ? undefined : parseObjectId(text);
}

export const commitResolvers: Resolvers = {
  ...blameResolvers,
  Commit: commitFields,
  GitActor: actorFields,
};
