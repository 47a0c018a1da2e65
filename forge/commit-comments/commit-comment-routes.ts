import Type from 'typebox';

import type { Sql } from '#platform/database/database.ts';

import { resolveRevision } from '../commits/resolve-revision.ts';
import { notFound } from '../errors/api-error.ts';
import { emitEvent } from '../events/event-outbox-store.ts';
import { type RepositoryWrite, writeRepository } from '../events/invalidate.ts';
import { created, noContent, ok, page as pageResult } from '../http/endpoint-result.ts';
import type { RequestContext } from '../http/request-context.ts';
import { nullable } from '../http/schemas.ts';
import { refuseCommentChange } from '../issues/change-comment.ts';
import type { Json } from '../json/json-values.ts';
import type { UserCaller } from '../model/caller.ts';
import { checkCommentBody } from '../model/comment.ts';
import type { CommitComment } from '../model/commit-comment.ts';
import { fullName, type Repository } from '../model/repository.ts';
import type { Ports } from '../ports/ports.ts';
import { mayComment, mayRead, type RepositoryAccess } from '../repositories/repository-access.ts';
import { repositoryEndpoint, type Endpoint } from '../routing/endpoint.ts';
import {
  deleteCommitComment,
  editCommitComment,
  findCommitComment,
  insertCommitComment,
  listCommitComments,
} from './commit-comment-store.ts';
import { describeCommitComments } from './describe-commit-comments.ts';

const formats = ['raw', 'text', 'html', 'full'] as const;

/** Comments on commits: https://docs.github.com/rest/commits/comments */
export const commitCommentRoutes: readonly Endpoint[] = [
  repositoryEndpoint({
    operation: 'repos/list-commit-comments-for-repo',
    method: 'GET',
    path: '/repos/:owner/:repo/comments',
    docs: 'repos#list-commit-comments-for-a-repository',
    policy: mayRead,
    formats,
    cacheable: true,
    handle: ({ page, media, urls }, { repository }, { database }) =>
      database.read(async (sql) => {
        const found = await listCommitComments(sql, repository.id, undefined, page);
        const { comments, total } = found;
        const body = await describeCommitComments(sql, repository, comments, media.format, urls);
        return pageResult(body, total);
      }),
  }),

  repositoryEndpoint({
    operation: 'repos/list-comments-for-commit',
    method: 'GET',
    path: '/repos/:owner/:repo/commits/:ref/comments',
    docs: 'repos#list-commit-comments',
    policy: mayRead,
    formats,
    async handle({ path, page, media, urls }, { repository }, { database, git }) {
      const sha = await resolveRevision(git.repository(repository.id), repository, path.ref);
      return database.read(async (sql) => {
        const { comments, total } = await listCommitComments(sql, repository.id, sha, page);
        const body = await describeCommitComments(sql, repository, comments, media.format, urls);
        return pageResult(body, total);
      });
    },
  }),

  repositoryEndpoint({
    operation: 'repos/get-commit-comment',
    method: 'GET',
    path: '/repos/:owner/:repo/comments/:commit_comment_id',
    docs: 'repos#get-a-commit-comment',
    policy: mayRead,
    formats,
    cacheable: true,
    handle: ({ path, media, urls }, { repository }, { database }) =>
      database.read(async (sql) => {
        const id = path.commit_comment_id;
        return ok(await describeOne(sql, repository, id, { media, urls }));
      }),
  }),

  /** The position in a file is stored as given. */
  repositoryEndpoint({
    operation: 'repos/create-commit-comment',
    method: 'POST',
    path: '/repos/:owner/:repo/commits/:ref/comments',
    docs: 'repos#create-a-commit-comment',
    policy: mayComment,
    formats,
    body: Type.Object({
      body: Type.String(),
      // The longest that Linux allows.
      path: Type.Optional(nullable(Type.String({ maxLength: 4096 }))),
      position: Type.Optional(nullable(Type.Integer({ minimum: 1, maximum: 1e9 }))),
      line: Type.Optional(nullable(Type.Integer({ minimum: 1, maximum: 1e9 }))),
    }),
    async handle(request, { repository }, { database, git }) {
      const { path, body, caller, media, urls, now } = request;
      checkCommentBody(body.body);
      const sha = await resolveRevision(git.repository(repository.id), repository, path.ref);
      const authorId = caller.account.id;
      const id = await writeRepository(database, repository.id, async (sql) => {
        const commentId = await insertCommitComment(sql, {
          repositoryId: repository.id,
          authorId,
          sha,
          body: body.body,
          path: body.path ?? null,
          position: body.position ?? null,
          line: body.line ?? null,
          createdAt: now,
        });
        const event = { event: 'commit_comment', action: 'created', commentId } as const;
        await emitEvent(sql, repository.id, { ...event, actorId: authorId }, now);
        return commentId;
      });
      const shown = await database.read((sql) => describeOne(sql, repository, id, { media, urls }));
      return created(shown, urls.commitComment(fullName(repository), id));
    },
  }),

  repositoryEndpoint({
    operation: 'repos/update-commit-comment',
    method: 'PATCH',
    path: '/repos/:owner/:repo/comments/:commit_comment_id',
    docs: 'repos#update-a-commit-comment',
    policy: mayComment,
    formats,
    body: Type.Object({ body: Type.String() }),
    async handle(request, access, ports) {
      const { path, body, media, urls, now } = request;
      checkCommentBody(body.body);
      const id = path.commit_comment_id;
      await change(ports, access, { id, caller: request.caller }, (sql) =>
        editCommitComment(sql, id, body.body, now),
      );
      const { repository } = access;
      return ok(
        await ports.database.read((sql) => describeOne(sql, repository, id, { media, urls })),
      );
    },
  }),

  repositoryEndpoint({
    operation: 'repos/delete-commit-comment',
    method: 'DELETE',
    path: '/repos/:owner/:repo/comments/:commit_comment_id',
    docs: 'repos#delete-a-commit-comment',
    policy: mayComment,
    async handle({ path, caller }, access, ports) {
      const id = path.commit_comment_id;
      await change(ports, access, { id, caller }, (sql) => deleteCommitComment(sql, id));
      return noContent();
    },
  }),
];

async function describeOne(
  sql: Sql,
  repository: Repository,
  id: number,
  { media, urls }: Pick<RequestContext, 'media' | 'urls'>,
): Promise<Json> {
  const comment = (await findCommitComment(sql, repository.id, id)) ?? notFound();
  const [body] = await describeCommitComments(sql, repository, [comment], media.format, urls);
  return body ?? notFound();
}

/** For the author of the comment and users with push permission. */
function change(
  { database }: Pick<Ports, 'database'>,
  { repository, permission }: RepositoryAccess,
  { id, caller }: { readonly id: number; readonly caller: UserCaller },
  work: (sql: RepositoryWrite, comment: CommitComment) => Promise<void>,
): Promise<void> {
  return writeRepository(database, repository.id, async (sql) => {
    const comment = (await findCommitComment(sql, repository.id, id)) ?? notFound();
    refuseCommentChange(comment, caller.account.id, permission);
    await work(sql, comment);
  });
}
