import Type from 'typebox';

import { notFound } from '../errors/api-error.ts';
import { noObject, type ObjectId, parseObjectId } from '../git/names.ts';
import { noContent, ok, accepted } from '../http/endpoint-result.ts';
import { stringEnum, nullable } from '../http/schemas.ts';
import { fullName } from '../model/repository.ts';
import { mayRead, mayPush } from '../repositories/repository-access.ts';
import { repositoryEndpoint, type Endpoint } from '../routing/endpoint.ts';
import { mergeMethods } from './merge-methods.ts';
import { mergePull } from './operations/merge-pull.ts';
import { mayUpdateHeads, updatePullBranch } from './operations/update-pull-branch.ts';
import { findPull } from './pull-store.ts';

/** Merging a pull request, and updating its branch. */
export const mergeRoutes: readonly Endpoint[] = [
  repositoryEndpoint({
    operation: 'pulls/check-if-merged',
    method: 'GET',
    path: '/repos/:owner/:repo/pulls/:pull_number/merge',
    docs: 'pulls#check-if-a-pull-request-has-been-merged',
    policy: mayRead,
    async handle({ path }, { repository }, { database }) {
      const pull = await database.read((sql) => findPull(sql, repository.id, path.pull_number));
      return pull?.merge ? noContent() : notFound();
    },
  }),

  repositoryEndpoint({
    operation: 'pulls/merge',
    method: 'PUT',
    path: '/repos/:owner/:repo/pulls/:pull_number/merge',
    docs: 'pulls#merge-a-pull-request',
    policy: mayPush,
    body: Type.Object({
      commit_title: Type.Optional(nullable(Type.String())),
      commit_message: Type.Optional(nullable(Type.String())),
      sha: Type.Optional(nullable(Type.String())),
      merge_method: Type.Optional(nullable(stringEnum(mergeMethods))),
    }),
    async handle(request, { repository }, ports) {
      const { body, caller, now } = request;
      const pull = await ports.database.read((sql) =>
        findPull(sql, repository.id, request.path.pull_number),
      );
      if (!pull) return notFound();
      const commit = await mergePull(ports, {
        pull,
        repository,
        caller,
        method: body.merge_method ?? 'merge',
        sha: readHeadSha(body.sha),
        input: { title: body.commit_title ?? undefined, message: body.commit_message ?? undefined },
        now,
        requestId: request.requestId,
        offsetMinutes: request.zoneOffset(now),
      });
      return ok({ sha: commit, merged: true, message: 'Pull Request successfully merged' });
    },
  }),

  repositoryEndpoint({
    operation: 'pulls/update-branch',
    method: 'PUT',
    path: '/repos/:owner/:repo/pulls/:pull_number/update-branch',
    docs: 'pulls#update-a-pull-request-branch',
    preview: { name: 'lydian', feature: 'Update a pull request branch' },
    policy: mayUpdateHeads,
    body: Type.Object({ expected_head_sha: Type.Optional(nullable(Type.String())) }),
    async handle(request, { repository }, ports) {
      const { caller, body, now } = request;
      const pull = await ports.database.read((sql) =>
        findPull(sql, repository.id, request.path.pull_number),
      );
      if (!pull) return notFound();
      await updatePullBranch(ports, {
        pull,
        caller,
        expectedHeadSha: readHeadSha(body.expected_head_sha),
        now,
        offsetMinutes: request.zoneOffset(now),
      });
      return accepted({
        message: 'Updating pull request branch.',
        url: request.urls.pull(fullName(repository), pull.number),
      });
    },
  }),
];

/** A text that is no SHA matches no head. */
function readHeadSha(text: string | null | undefined): ObjectId | undefined {
  return typeof text === 'string' ? (parseObjectId(text) ?? noObject) : undefined;
}
