import Type from 'typebox';

import { describeCommit } from '../commits/describe-commits.ts';
import { requiredCommit } from '../commits/named-commit.ts';
import { notFound } from '../errors/api-error.ts';
import type { Ref } from '../git/git.ts';
import { branchRef, parseBranchName } from '../git/names.ts';
import { page as replyPage, ok, created, noContent } from '../http/reply.ts';
import { orNull } from '../http/schemas.ts';
import { fullName } from '../model/repository.ts';
import { mergeBranches } from '../ref-updates/merge-branches.ts';
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
      return replyPage(
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
      const commit = await requiredCommit(git, sha);
      return ports.database.read(async (sql) => {
        const representation = await describeCommit(sql, commit, repository, urls);
        const rules = await findRules(sql, repository.id, name);
        return ok(representBranch(name, representation, rules, fullName(repository), urls));
      });
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
      commit_message: Type.Optional(orNull(Type.String())),
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
      const commit = await requiredCommit(ports.git.repository(repository.id), sha);
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
