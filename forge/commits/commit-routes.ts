import { usersByEmail } from '../accounts/account-store.ts';
import { representShortBranch } from '../branches/branch-json.ts';
import { protectedBranches } from '../branches/protection-store.ts';
import { notFound } from '../errors/api-error.ts';
import type { DiffStat, FileChange } from '../git/file-change.ts';
import type { GitRepository, Commit } from '../git/git.ts';
import { parseObjectId } from '../git/names.ts';
import { page as pageResult, ok, text } from '../http/endpoint-result.ts';
import { fullName } from '../model/repository.ts';
import { loadPullRelations } from '../pulls/operations/pull-relations.ts';
import { representPullSummary } from '../pulls/pull-json.ts';
import { pullsOfCommit } from '../pulls/pulls-of-commit.ts';
import { mayRead } from '../repositories/repository-access.ts';
import { repositoryEndpoint, type Endpoint } from '../routing/endpoint.ts';
import { readCommitFilter } from './commit-filter.ts';
import { representStat, emailsOf } from './commit-json.ts';
import { compare, meet } from './compare.ts';
import { representComparison } from './comparison-json.ts';
import { findSide, splitRange } from './comparison-side.ts';
import { describeCommits, describeCommit } from './describe-commits.ts';
import { representFile, filePatchBytesMax, patchBytesMax } from './file-json.ts';
import { isEmpty, refuseEmpty, resolveRevision, getCommit } from './resolve-revision.ts';

/** Files of a commit on a page, by default; more go on further pages. */
const filesOnPageMax = 300;

/** Commits of a comparison without asking for pages. */
const comparedCommitsMax = 250;

/** Files of a commit. */
const filesMax = 3000;

/** Commits, comparisons, and what belongs to a commit. */
export const commitRoutes: readonly Endpoint[] = [
  repositoryEndpoint({
    operation: 'repos/list-commits',
    method: 'GET',
    path: '/repos/:owner/:repo/commits',
    docs: 'repos#list-commits',
    policy: mayRead,
    cacheable: true,
    async handle({ query, page, urls }, { repository }, ports) {
      const git = ports.git.repository(repository.id);
      const from = await git.resolveCommit(query.get('sha') || repository.defaultBranch);
      if (!from) return (await isEmpty(git, repository)) ? refuseEmpty() : notFound();
      const filter = await ports.database.read((sql) => readCommitFilter(sql, query));
      if (!filter) return pageResult([], 0);
      // One extra commit shows whether there is another page; counting a long history is as expensive as reading it.
      const found = await git.log({ ...filter, from, skip: page.offset, max: page.size + 1 });
      const shown = found.slice(0, page.size);
      return pageResult(
        await ports.database.read((sql) => describeCommits(sql, shown, repository, urls)),
        { hasNext: found.length > page.size },
      );
    },
  }),

  repositoryEndpoint({
    operation: 'repos/get-commit',
    method: 'GET',
    path: '/repos/:owner/:repo/commits/:ref',
    docs: 'repos#get-a-commit',
    policy: mayRead,
    formats: ['diff', 'patch', 'sha'],
    cacheable: true,
    async handle({ path, query, page, media, urls }, { repository }, { database, git: gits }) {
      const git = gits.repository(repository.id);
      const sha = await resolveRevision(git, repository, path.ref);
      // The SHA as entity tag lets a client check with its SHA whether a branch has moved.
      if (media.format === 'sha') return text('sha', sha, { entityTag: sha });
      const commit = await getCommit(git, sha);
      const [parent] = commit.parents;
      if (media.format === 'diff') return text('diff', await git.diffText(parent, sha));
      if (media.format === 'patch') return text('patch', await git.formatPatch(parent, sha));
      const { stat, files } = await changesOf(git, commit);
      const size = query.has('per_page') ? page.size : filesOnPageMax;
      const offset = (page.number - 1) * size;
      const shown = files.slice(offset, offset + size);
      const name = fullName(repository);
      const body = {
        ...(await database.read((sql) => describeCommit(sql, commit, repository, urls))),
        stats: representStat(stat),
        files: shown.map((file) => representFile(file, name, sha, urls)),
      };
      // The page after a branch name shows another commit tomorrow, perhaps an older one: only a SHA has a date.
      const dated = parseObjectId(path.ref) === undefined ? {} : { lastModified: dateOf(commit) };
      if (page.number === 1 && files.length <= size) return ok(body, dated);
      return pageResult(body, { hasNext: offset + size < files.length }, dated);
    },
  }),

  repositoryEndpoint({
    operation: 'repos/compare-commits',
    method: 'GET',
    path: '/repos/:owner/:repo/compare/:range',
    docs: 'repos#compare-two-commits',
    policy: mayRead,
    formats: ['diff', 'patch'],
    cacheable: true,
    async handle({ path, query, page, media, caller, urls }, { repository }, ports) {
      const range = splitRange(path.range) ?? notFound();
      const base = (await findSide(ports, repository, caller, range.base)) ?? notFound();
      const head = (await findSide(ports, repository, caller, range.head)) ?? notFound();
      const ends = await meet(ports, base, head);
      const { git } = ends;
      if (media.format === 'diff')
        return text('diff', await git.diffText(ends.mergeBase, ends.head));
      if (media.format === 'patch') {
        return text('patch', await git.formatPatch(ends.base, ends.head));
      }
      const size = query.has('per_page') ? page.size : comparedCommitsMax;
      const offset = (page.number - 1) * size;
      const comparison = await compare(ends, { offset, size });
      const emails = emailsOf([comparison.base, comparison.mergeBase, ...comparison.commits]);
      const users = await ports.database.read((sql) => usersByEmail(sql, emails));
      const request = { repository, range: path.range, base, head };
      return pageResult(representComparison(request, comparison, users, urls), {
        hasNext: offset + size < comparison.aheadBy,
      });
    },
  }),

  repositoryEndpoint({
    operation: 'repos/list-pull-requests-associated-with-commit',
    method: 'GET',
    path: '/repos/:owner/:repo/commits/:commit_sha/pulls',
    docs: 'repos#list-pull-requests-associated-with-a-commit',
    policy: mayRead,
    formats: ['raw', 'text', 'html', 'full'],
    cacheable: true,
    async handle(request, { repository }, ports) {
      const { path, page, media, urls, caller, inSlowSlot = (work) => work() } = request;
      const sha = await resolveRevision(
        ports.git.repository(repository.id),
        repository,
        path.commit_sha,
      );
      const { pulls, complete } = await inSlowSlot(() => pullsOfCommit(ports, repository.id, sha));
      const shown = pulls.slice(page.offset, page.offset + page.size);
      const relations = await ports.database.read((sql) =>
        loadPullRelations(sql, repository, shown, caller),
      );
      const list = pageResult(
        shown.map((pull) => representPullSummary(pull, relations, media.format, urls)),
        pulls.length,
      );
      return complete || list.kind !== 'json' ? list : { ...list, cacheable: false };
    },
  }),

  repositoryEndpoint({
    operation: 'repos/list-branches-for-head-commit',
    method: 'GET',
    path: '/repos/:owner/:repo/commits/:commit_sha/branches-where-head',
    docs: 'repos#list-branches-for-head-commit',
    policy: mayRead,
    cacheable: true,
    async handle({ path, urls }, { repository }, ports) {
      const git = ports.git.repository(repository.id);
      const sha = await resolveRevision(git, repository, path.commit_sha);
      const branches = (await git.listRefs('refs/heads/')).filter(({ id }) => id === sha);
      const names = await ports.database.read((sql) => protectedBranches(sql, repository.id));
      return ok(
        branches.map((ref) =>
          representShortBranch(
            ref,
            names.has(ref.name.slice('refs/heads/'.length)),
            fullName(repository),
            urls,
          ),
        ),
      );
    },
  }),
];

function dateOf(commit: { committer: { seconds: number } }): number {
  return commit.committer.seconds * 1000;
}

/** What a commit changed compared to its first parent. */
interface CommitChanges {
  readonly stat: DiffStat;
  /** At most 3000 of them. */
  readonly files: readonly FileChange[];
}

async function changesOf(git: GitRepository, commit: Commit): Promise<CommitChanges> {
  const parent = commit.parents[0];
  const [stat, files] = await Promise.all([
    git.diffStat(parent, commit.id),
    git.diffFiles(parent, commit.id, {
      filesMax,
      patches: true,
      patchBytesMax: filePatchBytesMax,
      totalBytesMax: patchBytesMax,
    }),
  ]);
  return { stat, files };
}
