import { usersByEmail } from '../accounts/account-store.ts';
import { resolveBranchName } from '../branches/resolve-branch-name.ts';
import { emailsOf, representCommit } from '../commits/commit-json.ts';
import { filePatchBytesMax, patchBytesMax, representFile } from '../commits/file-json.ts';
import { notFound } from '../errors/api-error.ts';
import { page, ok, text, created } from '../http/endpoint-result.ts';
import { mergeability } from '../model/pull.ts';
import { fullName } from '../model/repository.ts';
import { mayRead } from '../repositories/repository-access.ts';
import { repositoryEndpoint, type Endpoint } from '../routing/endpoint.ts';
import { mergeRoutes } from './merge-routes.ts';
import { scheduleMergeabilityCheck } from './mergeability.ts';
import { createPull } from './operations/create-pull.ts';
import { applyEdit, mayEdit } from './operations/edit-pull.ts';
import { countPresentCommits, presentSize } from './diff-stat.ts';
import { loadPullRelations, describePull } from './operations/pull-relations.ts';
import { pullDiff, pullPatch, mergeBaseOf } from './pull-diff.ts';
import { readPullFilter } from './pull-filter.ts';
import { createPullBody, editPullBody, readCreatePull, readEditPull } from './pull-input.ts';
import { representPullSummary } from './pull-json.ts';
import { listPulls, findPull } from './pull-store.ts';

/** Commits of a pull that are listed. */
const commitsMax = 250;

/** Files of a pull that are listed overall (spec; docs/specification/forge.md 6.6). */
const filesMax = 3000;

/** Pull requests, their commits, files and merges. */
export const pullRoutes: readonly Endpoint[] = [
  repositoryEndpoint({
    operation: 'pulls/list',
    method: 'GET',
    path: '/repos/:owner/:repo/pulls',
    docs: 'pulls#list-pull-requests',
    policy: mayRead,
    formats: ['raw', 'text', 'html', 'full'],
    cacheable: true,
    // Which pulls are still active depends on the time.
    cacheableUnless: (query) => query.get('sort') === 'long-running',
    async handle(request, { repository }, { database, git }) {
      const input = readPullFilter(request.query, request.now);
      const base =
        input.base &&
        ((await resolveBranchName(git.repository(repository.id), input.base)) ?? input.base);
      const filter = { ...input, base };
      return database.read(async (sql) => {
        const { pulls, total } = await listPulls(sql, repository.id, filter, request.page);
        const relations = await loadPullRelations(sql, repository, pulls, request.caller);
        return page(
          pulls.map((pull) =>
            representPullSummary(pull, relations, request.media.format, request.urls),
          ),
          total,
        );
      });
    },
  }),

  repositoryEndpoint({
    operation: 'pulls/get',
    method: 'GET',
    path: '/repos/:owner/:repo/pulls/:pull_number',
    docs: 'pulls#get-a-pull-request',
    policy: mayRead,
    formats: ['raw', 'text', 'html', 'full', 'diff', 'patch'],
    cacheable: true,
    async handle(request, { repository }, ports) {
      const { path, media } = request;
      const pull = await ports.database.read((sql) =>
        findPull(sql, repository.id, path.pull_number),
      );
      if (!pull) return notFound();
      const lastModified = pull.updatedAt;
      const git = ports.git.repository(repository.id);
      if (media.format === 'diff') return text('diff', await pullDiff(git, pull), { lastModified });
      if (media.format === 'patch')
        return text('patch', await pullPatch(git, pull), { lastModified });
      const untested = pull.state === 'open' && mergeability(pull) === 'unknown';
      if (untested) scheduleMergeabilityCheck(ports, pull.id);
      const size = await presentSize(git, pull);
      const body = await ports.database.read((sql) =>
        describePull(sql, repository, { ...pull, size }, request),
      );
      // Not cached until mergeability is known: if the test merge fails, the next request must start another one.
      return ok(body, { lastModified, cacheable: !untested });
    },
  }),

  repositoryEndpoint({
    operation: 'pulls/create',
    method: 'POST',
    path: '/repos/:owner/:repo/pulls',
    docs: 'pulls#create-a-pull-request',
    policy: { ...mayRead, changes: true },
    formats: ['raw', 'text', 'html', 'full'],
    body: createPullBody,
    async handle(request, { repository }, ports) {
      const number = await createPull(ports, readCreatePull(request, repository));
      const response = await ports.database.read(async (sql) => {
        const pull = await findPull(sql, repository.id, number);
        if (!pull) return notFound();
        return { id: pull.id, body: await describePull(sql, repository, pull, request) };
      });
      scheduleMergeabilityCheck(ports, response.id);
      return created(response.body, request.urls.pull(fullName(repository), number));
    },
  }),

  repositoryEndpoint({
    operation: 'pulls/update',
    method: 'PATCH',
    path: '/repos/:owner/:repo/pulls/:pull_number',
    docs: 'pulls#update-a-pull-request',
    policy: { ...mayRead, changes: true },
    formats: ['raw', 'text', 'html', 'full'],
    body: editPullBody,
    async handle(request, { repository }, ports) {
      const { body, caller, path, now } = request;
      const pull = await ports.database.read((sql) =>
        findPull(sql, repository.id, path.pull_number),
      );
      if (!pull) return notFound();
      const allowed = await ports.database.read((sql) => mayEdit(sql, caller, repository, pull));
      if (!allowed) return notFound();
      await applyEdit(ports, { pull, repository, caller, now, input: readEditPull(body) });
      return ports.database.read(async (sql) => {
        const edited = await findPull(sql, repository.id, path.pull_number);
        if (!edited) return notFound();
        if (edited.state === 'open') scheduleMergeabilityCheck(ports, edited.id);
        return ok(await describePull(sql, repository, edited, request));
      });
    },
  }),

  repositoryEndpoint({
    operation: 'pulls/list-commits',
    method: 'GET',
    path: '/repos/:owner/:repo/pulls/:pull_number/commits',
    docs: 'pulls#list-commits-on-a-pull-request',
    policy: mayRead,
    cacheable: true,
    async handle(request, { repository }, { database, git }) {
      const { path, urls } = request;
      const pull = await database.read((sql) => findPull(sql, repository.id, path.pull_number));
      if (!pull) return notFound();
      const repositoryGit = git.repository(repository.id);
      const total = Math.min(await countPresentCommits(repositoryGit, pull), commitsMax);
      const commits = await repositoryGit.log({
        from: pull.head.sha,
        notIn: [pull.base.sha],
        max: Math.min(request.page.size, Math.max(0, total - request.page.offset)),
        skip: request.page.offset,
        reverse: true,
      });
      const users = await database.read((sql) => usersByEmail(sql, emailsOf(commits)));
      return page(
        commits.map((commit) => representCommit(commit, repository, users, urls)),
        total,
        { lastModified: pull.updatedAt },
      );
    },
  }),

  repositoryEndpoint({
    operation: 'pulls/list-files',
    method: 'GET',
    path: '/repos/:owner/:repo/pulls/:pull_number/files',
    docs: 'pulls#list-pull-requests-files',
    // As on GitHub, the response is JSON all the same: danger asks for a diff here, and reads JSON.
    formats: ['diff', 'patch'],
    policy: mayRead,
    cacheable: true,
    async handle(request, { repository }, { database, git }) {
      const pull = await database.read((sql) =>
        findPull(sql, repository.id, request.path.pull_number),
      );
      if (!pull) return notFound();
      const repositoryGit = git.repository(repository.id);
      const files = await repositoryGit.diffFiles(
        await mergeBaseOf(repositoryGit, pull),
        pull.head.sha,
        { filesMax, patches: true, patchBytesMax: filePatchBytesMax, totalBytesMax: patchBytesMax },
      );
      const { offset, size } = request.page;
      return page(
        files
          .slice(offset, offset + size)
          .map((file) => representFile(file, fullName(repository), pull.head.sha, request.urls)),
        files.length,
        { lastModified: pull.updatedAt },
      );
    },
  }),

  ...mergeRoutes,
];
