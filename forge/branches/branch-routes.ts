import Type from 'typebox';

import { describeCommit } from '../commits/describe-commits.ts';
import { getCommit } from '../commits/resolve-revision.ts';
import { notFound } from '../errors/api-error.ts';
import type { Commit, Ref } from '../git/git.ts';
import { type BranchName, branchRef, parseBranchName } from '../git/names.ts';
import { page as pageResult, ok, created, noContent } from '../http/endpoint-result.ts';
import { nullable } from '../http/schemas.ts';
import type { Json } from '../json/json-values.ts';
import type { Urls } from '../json/urls.ts';
import { fullName, type Repository } from '../model/repository.ts';
import type { Ports } from '../ports/ports.ts';
import { mergeBranches } from '../ref-updates/merge-branches.ts';
import { mergeUpstream } from '../ref-updates/merge-upstream.ts';
import { renameBranch } from '../ref-updates/rename-branch.ts';
import { mayRead, mayPush } from '../repositories/repository-access.ts';
import { repositoryEndpoint, type Endpoint } from '../routing/endpoint.ts';
import { representShortBranch, representBranch } from './branch-json.ts';
import { protectionRoutes } from './protection-routes.ts';
import { protectedBranches, findRules } from './protection-store.ts';
import { restrictionRoutes } from './restriction-routes.ts';
import { statusCheckRoutes } from './status-check-routes.ts';

/** Branches, merges of branches, and all parts of branch protection. */
export const branchRoutes: readonly Endpoint[] = [
  repositoryEndpoint({
    operation: 'repos/list-branches',
    method: 'GET',
    path: '/repos/:owner/:repo/branches',
    docs: 'repos#list-branches',
    policy: mayRead,
    cacheable: true,
    async handle({ query, page, urls }, { repository }, { git, database }) {
      const names = await database.read((sql) => protectedBranches(sql, repository.id));
      const isProtected = (ref: Ref): boolean => names.has(ref.name.slice('refs/heads/'.length));
      const wanted = query.get('protected');
      const all = await git.repository(repository.id).listRefs('refs/heads/');
      const branches =
        wanted === 'true' || wanted === 'false'
          ? all.filter((ref) => isProtected(ref) === (wanted === 'true'))
          : all;
      return pageResult(
        branches
          .slice(page.offset, page.offset + page.size)
          .map((ref) => representShortBranch(ref, isProtected(ref), fullName(repository), urls)),
        branches.length,
      );
    },
  }),

  repositoryEndpoint({
    operation: 'repos/get-branch',
    method: 'GET',
    path: '/repos/:owner/:repo/branches/:branch',
    docs: 'repos#get-a-branch',
    policy: mayRead,
    cacheable: true,
    async handle({ path, urls }, { repository }, ports) {
      const git = ports.git.repository(repository.id);
      const name = parseBranchName(path.branch);
      const sha = name && (await git.readRef(branchRef(name)));
      if (!name || !sha) return notFound('Branch not found');
      const commit = await getCommit(git, sha);
      return ok(await describeBranch(ports, repository, { name, commit }, urls));
    },
  }),

  /** Who may rename it is decided with its name (ref-updates/rename-branch.ts). */
  repositoryEndpoint({
    operation: 'repos/rename-branch',
    method: 'POST',
    path: '/repos/:owner/:repo/branches/:branch/rename',
    docs: 'repos#rename-a-branch',
    policy: mayPush,
    body: Type.Object({ new_name: Type.String() }),
    async handle({ path, body, caller, urls, now }, { repository }, ports) {
      const input = { repositoryId: repository.id, caller, from: path.branch, to: body.new_name };
      const name = await renameBranch(ports, { ...input, now });
      const git = ports.git.repository(repository.id);
      const sha = (await git.readRef(branchRef(name))) ?? notFound('Branch not found');
      const commit = await getCommit(git, sha);
      return created(
        await describeBranch(ports, repository, { name, commit }, urls),
        urls.branch(fullName(repository), name),
      );
    },
  }),

  repositoryEndpoint({
    operation: 'repos/merge-upstream',
    method: 'POST',
    path: '/repos/:owner/:repo/merge-upstream',
    docs: 'repos#sync-a-fork-branch-with-the-upstream-repository',
    policy: mayPush,
    body: Type.Object({ branch: Type.String() }),
    async handle(request, { repository }, ports) {
      const { body, caller } = request;
      const { how, parent, branch } = await mergeUpstream(ports, {
        fork: repository,
        caller,
        branch: body.branch,
        signingTime: request,
      });
      const base = `${parent.owner.login}:${branch}`;
      const messages = {
        merge: `Successfully fetched and merged from upstream ${base}.`,
        'fast-forward': `Successfully fetched and fast-forwarded from upstream ${base}.`,
        none: `This branch is not behind the upstream ${base}.`,
      };
      return ok({ message: messages[how], merge_type: how, base_branch: base });
    },
  }),

  repositoryEndpoint({
    operation: 'repos/merge',
    method: 'POST',
    path: '/repos/:owner/:repo/merges',
    docs: 'repos#merge-a-branch',
    policy: mayPush,
    body: Type.Object({
      base: Type.String(),
      head: Type.String(),
      commit_message: Type.Optional(nullable(Type.String())),
    }),
    async handle(request, { repository }, ports) {
      const { body, caller, urls } = request;
      const sha = await mergeBranches(ports, {
        repositoryId: repository.id,
        caller,
        base: body.base,
        head: body.head,
        message: body.commit_message || undefined,
        signingTime: request,
      });
      if (sha === undefined) return noContent();
      const commit = await getCommit(ports.git.repository(repository.id), sha);
      return created(
        await ports.database.read((sql) => describeCommit(sql, commit, repository, urls)),
        urls.commit(fullName(repository), sha),
      );
    },
  }),

  ...protectionRoutes,

  ...statusCheckRoutes,

  ...restrictionRoutes,
];

function describeBranch(
  { database }: Pick<Ports, 'database'>,
  repository: Repository,
  { name, commit }: { readonly name: BranchName; readonly commit: Commit },
  urls: Urls,
): Promise<{ [field: string]: Json }> {
  return database.read(async (sql) => {
    const representation = await describeCommit(sql, commit, repository, urls);
    const rules = await findRules(sql, repository.id, name);
    return representBranch(name, representation, rules, fullName(repository), urls);
  });
}
