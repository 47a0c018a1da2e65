import type { FileChange } from '../../git/file-change.ts';
import { nodeId } from '../../json/node-id.ts';
import type { PullSize } from '../../model/pull.ts';
import { fullName } from '../../model/repository.ts';
import { countPresentCommits, presentSize } from '../../pulls/diff-stat.ts';
import { mergeBaseOf } from '../../pulls/pull-diff.ts';
import { viewedFiles } from '../../pulls/viewed-file-store.ts';
import { countPulls, type PullSliceFilter, slicePulls } from '../../pulls/pull-connection-store.ts';
import { findPull } from '../../pulls/pull-store.ts';
import { pullsOfCommit } from '../../pulls/pulls-of-commit.ts';
import {
  type Arguments,
  integerArgument,
  optionalObject,
  optionalText,
  optionalTexts,
} from '../engine/arguments.ts';
import { connect, type Connection, connectList } from '../engine/connection.ts';
import { failField } from '../engine/field-error.ts';
import { connectLog } from './commit-fields.ts';
import { type Fields, type GraphqlContext, pathOfUrl, type Resolvers } from './context.ts';
import { inGit, findCommitSource } from './git-objects.ts';
import { sortOf } from './issue-fields.ts';
import type {
  CommitSource,
  PullSource,
  RefSource,
  RepositorySource,
  ReviewSource,
} from './sources.ts';

const repositoryFields: Fields<RepositorySource> = {
  pullRequest: async (at, values, { access, ports }) => {
    await access({ id: at.repository.id }, 'pulls/get');
    const number = integerArgument(values, 'number');
    const pull = await ports.database.readOne((sql) => findPull(sql, at.repository.id, number));
    if (pull) return { typeName: 'PullRequest', at, pull };
    const message = `Could not resolve to a PullRequest with the number of ${number}.`;
    return failField('NOT_FOUND', message);
  },
  pullRequests: (at, values, context) =>
    connectPulls('pullRequests', at, filterOf(at, values), values, context),
};

const refFields: Fields<RefSource> = {
  associatedPullRequests: ({ at, name }, values, context) => {
    const filter = {
      ...filterOf(at, values),
      headRef: name.replace(/^refs\/(?:heads|tags)\//, ''),
    };
    return connectPulls('associatedPullRequests', at, filter, values, context);
  },
};

const commitFields: Fields<CommitSource> = {
  associatedPullRequests: ({ at, commit }, values, context) => {
    const order = optionalObject(values, 'orderBy') ?? {};
    const descending = optionalText(order, 'direction') === 'DESC';
    const byUpdate = optionalText(order, 'field') === 'UPDATED_AT';
    return connectList(
      'associatedPullRequests',
      values,
      async () => {
        const operation = 'repos/list-pull-requests-associated-with-commit';
        await context.access({ id: at.repository.id }, operation);
        const { pulls } = await pullsOfCommit(context.ports, at.repository.id, commit.id);
        const ordered = pulls.toSorted((one, other) =>
          byUpdate ? one.updatedAt - other.updatedAt : one.number - other.number,
        );
        return (descending ? ordered.toReversed() : ordered).map((pull): PullSource => ({
          typeName: 'PullRequest',
          at,
          pull,
        }));
      },
      ({ pull }) => pull.id,
    );
  },
};

const stateNames: Readonly<Record<string, PullSliceFilter['states'][number]>> = {
  OPEN: 'open',
  CLOSED: 'closed',
  MERGED: 'merged',
};

function filterOf({ repository }: RepositorySource, values: Arguments): PullSliceFilter {
  return {
    repositoryId: repository.id,
    states: (optionalTexts(values, 'states') ?? []).flatMap((name) => stateNames[name] ?? []),
    base: optionalText(values, 'baseRefName'),
    headRef: optionalText(values, 'headRefName'),
    labels: optionalTexts(values, 'labels'),
    ...sortOf(values),
  };
}

function connectPulls(
  name: string,
  at: RepositorySource,
  filter: PullSliceFilter,
  values: Arguments,
  { access, ports }: GraphqlContext,
): Connection<PullSource> {
  const locator = { id: at.repository.id };
  return connect(name, values, {
    keys: 'number',
    total: async () => {
      await access(locator, 'pulls/list');
      return ports.database.readOne((sql) => countPulls(sql, filter));
    },
    load: async (bounds) => {
      await access(locator, 'pulls/list');
      const [slice] = await ports.database.readOne((sql) => slicePulls(sql, [{ filter, bounds }]));
      const items = (slice?.rows ?? []).map(({ pull, key }) => ({
        node: { typeName: 'PullRequest', at, pull } as const,
        key,
      }));
      return { items, more: slice?.more ?? false };
    },
  });
}

export interface PullCommitSource {
  readonly typeName: 'PullRequestCommit';
  readonly of: PullSource;
  readonly commit: CommitSource;
}

/** Oldest first, so the last one is the head, which is read without walking the history. */
export function commitsOf(
  of: PullSource,
  values: Arguments,
  context: GraphqlContext,
): Connection<PullCommitSource> {
  const { at, pull } = of;
  const filter = { from: pull.head.sha, notIn: [pull.base.sha], reverse: true };
  let counted: Promise<number> | undefined;
  const total = (): Promise<number> =>
    (counted ??= inGit(at, context, (git) => countPresentCommits(git, pull)));
  const log = connectLog('commits', values, at, context, filter, total);
  return connect('commits', values, {
    keys: 'text',
    total,
    load: async (bounds) => {
      const { fromEnd, size, after, before } = bounds;
      if (fromEnd && size === 1 && !after && !before) {
        const count = await total();
        const commit = count > 0 && (await findCommitSource(at, pull.head.sha, context));
        const key = { by: pull.head.sha, tie: count - 1 };
        const items = commit ? [{ node: commitIn(of, commit), key }] : [];
        return { items, more: count > 1 };
      }
      const page = await log.page();
      return {
        items: page.items.map(({ node, key }) => ({ node: commitIn(of, node), key })),
        more: fromEnd ? page.hasPrevious : page.hasNext,
      };
    },
  });
}

export function commitIn(of: PullSource, commit: CommitSource): PullCommitSource {
  return { typeName: 'PullRequestCommit', of, commit };
}

const pullCommitFields: Fields<PullCommitSource> = {
  id: ({ of, commit }) => nodeId('PullRequestCommit', `${of.pull.id}:${commit.commit.id}`),
  commit: ({ commit }) => commit,
  pullRequest: ({ of }) => of,
  url: (source, _values, context) => urlOfCommit(source, context),
  resourcePath: (source, _values, context) => pathOfUrl(urlOfCommit(source, context)),
};

function urlOfCommit({ of, commit }: PullCommitSource, { request }: GraphqlContext): string {
  const url = request.urls.pullHtml(fullName(of.at.repository), of.pull.number);
  return `${url}/commits/${commit.commit.id}`;
}

interface FileSource extends FileChange {
  readonly viewedState: string;
}

/** Files of a pull in GraphQL; as many as REST lists. */
const filesMax = 3000;

export function filesOf(
  of: PullSource,
  values: Arguments,
  context: GraphqlContext,
): Connection<FileSource> {
  const { at, pull } = of;
  const { ports, request } = context;
  const list = async (): Promise<FileSource[]> => {
    const files = await inGit(at, context, async (git) =>
      git.diffFiles(await mergeBaseOf(git, pull), pull.head.sha, { filesMax, patches: false }),
    );
    const accountId = request.caller.account.id;
    const viewed = await ports.database.read((sql) => viewedFiles(sql, accountId, pull.id));
    return files.map((file) => ({
      ...file,
      viewedState: viewedState(viewed.get(file.path), file),
    }));
  };
  const listed = connectList('files', values, list, ({ path }) => path);
  const total = async (): Promise<number> => (await sizeOf(of, context)).changedFiles;
  return { page: listed.page, total };
}

/** git is asked only where the row has the size of another base. */
export function sizeOf({ at, pull }: PullSource, context: GraphqlContext): Promise<PullSize> {
  return inGit(at, context, (git) => presentSize(git, pull));
}

const changeTypes: Readonly<Record<FileChange['status'], string>> = {
  added: 'ADDED',
  removed: 'DELETED',
  modified: 'MODIFIED',
  renamed: 'RENAMED',
  copied: 'COPIED',
  changed: 'CHANGED',
};

/** A file that was viewed before it changed again is no longer viewed. */
function viewedState(viewed: string | undefined, { id }: FileChange): string {
  if (viewed === undefined) return 'UNVIEWED';
  return viewed === id ? 'VIEWED' : 'DISMISSED';
}

const fileFields: Fields<FileSource> = {
  path: ({ path }) => path,
  additions: ({ additions }) => additions,
  deletions: ({ deletions }) => deletions,
  changeType: ({ status }) => changeTypes[status],
  viewerViewedState: (file) => file.viewedState,
};

export function reviewsOf(
  { at, pull }: PullSource,
  values: Arguments,
  { loaders }: GraphqlContext,
): Connection<ReviewSource> {
  const states = optionalTexts(values, 'states');
  const author = optionalText(values, 'author')?.toLowerCase();
  return connectList(
    'reviews',
    values,
    async () => {
      const reviews = await loaders.reviewsOf(pull.id);
      const authors =
        author === undefined
          ? []
          : await Promise.all(reviews.map(({ authorId }) => loaders.account(authorId)));
      return reviews
        .filter((_, index) => {
          return author === undefined || authors[index]?.account.login.toLowerCase() === author;
        })
        .filter(({ state }) => !states || states.includes(state))
        .map((review): ReviewSource => ({ typeName: 'PullRequestReview', at, pull, review }));
    },
    ({ review }) => review.id,
  );
}

/** The last review of each reviewer; opinionated ones decide something. */
export function latestReviews(
  name: 'latestReviews' | 'latestOpinionatedReviews',
  { at, pull }: PullSource,
  values: Arguments,
  { loaders }: GraphqlContext,
): Connection<ReviewSource> {
  const opinionated = name === 'latestOpinionatedReviews';
  return connectList(
    name,
    values,
    async () => {
      const reviews = await loaders.reviewsOf(pull.id);
      const counting = reviews.filter(
        ({ state }) => state !== 'PENDING' && !(opinionated && state === 'COMMENTED'),
      );
      const last = new Map(counting.map((review) => [review.authorId, review]));
      return [...last.values()].map((review): ReviewSource => ({
        typeName: 'PullRequestReview',
        at,
        pull,
        review,
      }));
    },
    ({ review }) => review.id,
  );
}

export const pullConnectionResolvers: Resolvers = {
  Repository: repositoryFields,
  Ref: refFields,
  Commit: commitFields,
  PullRequestCommit: pullCommitFields,
  PullRequestChangedFile: fileFields,
};
