import Type from 'typebox';

import { notFound } from '../errors/api-error.ts';
import { page as pageResult, ok, created, noContent } from '../http/endpoint-result.ts';
import { checkCommentBody } from '../model/comment.ts';
import { fullName } from '../model/repository.ts';
import { mayRead, mayComment } from '../repositories/repository-access.ts';
import { repositoryEndpoint, type Endpoint } from '../routing/endpoint.ts';
import { writeComment, changeComment } from './change-comment.ts';
import { readRepositoryCommentFilter, readCommentFilter } from './comment-filter.ts';
import { listComments, editComment, deleteComment } from './comment-store.ts';
import { describeComments, describeComment } from './describe-comments.ts';
import { findIssue } from './issue-store.ts';

/** Comments of issues and of the conversation of pulls. */
export const issueCommentRoutes: readonly Endpoint[] = [
  repositoryEndpoint({
    operation: 'issues/list-comments-for-repo',
    method: 'GET',
    path: '/repos/:owner/:repo/issues/comments',
    docs: 'issues#list-issue-comments-for-a-repository',
    policy: mayRead,
    formats: ['raw', 'text', 'html', 'full'],
    cacheable: true,
    async handle({ query, page, media, urls }, { repository }, { database }) {
      const filter = readRepositoryCommentFilter(query);
      return database.read(async (sql) => {
        const of = { kind: 'repository', id: repository.id } as const;
        const { comments, total } = await listComments(sql, of, filter, page);
        return pageResult(
          await describeComments(sql, repository, comments, media.format, urls),
          total,
        );
      });
    },
  }),

  repositoryEndpoint({
    operation: 'issues/list-comments',
    method: 'GET',
    path: '/repos/:owner/:repo/issues/:issue_number/comments',
    docs: 'issues#list-issue-comments',
    policy: mayRead,
    formats: ['raw', 'text', 'html', 'full'],
    cacheable: true,
    async handle({ path, query, page, media, urls }, { repository }, { database }) {
      const filter = readCommentFilter(query);
      return database.read(async (sql) => {
        const issue = await findIssue(sql, repository.id, path.issue_number);
        if (!issue) return notFound();
        const of = { kind: 'issue', id: issue.id } as const;
        const { comments, total } = await listComments(sql, of, filter, page);
        return pageResult(
          await describeComments(sql, repository, comments, media.format, urls),
          total,
        );
      });
    },
  }),

  repositoryEndpoint({
    operation: 'issues/get-comment',
    method: 'GET',
    path: '/repos/:owner/:repo/issues/comments/:comment_id',
    docs: 'issues#get-an-issue-comment',
    policy: mayRead,
    formats: ['raw', 'text', 'html', 'full'],
    cacheable: true,
    async handle({ path, media, urls }, { repository }, { database }) {
      const { body, updatedAt } = await database.read((sql) =>
        describeComment(sql, repository, path.comment_id, media.format, urls),
      );
      return ok(body, { lastModified: updatedAt });
    },
  }),

  repositoryEndpoint({
    operation: 'issues/create-comment',
    method: 'POST',
    path: '/repos/:owner/:repo/issues/:issue_number/comments',
    docs: 'issues#create-an-issue-comment',
    policy: mayComment,
    formats: ['raw', 'text', 'html', 'full'],
    body: Type.Object({ body: Type.String() }),
    async handle(request, access, { database }) {
      const { caller, path, media, urls, now } = request;
      const { repository } = access;
      const { body } = request.body;
      checkCommentBody(body);
      const number = path.issue_number;
      const comment = { caller, number, body, now };
      return writeComment({ database }, access, comment, async (sql, id) => {
        const shown = await describeComment(sql, repository, id, media.format, urls);
        return created(shown.body, urls.issueComment(fullName(repository), id));
      });
    },
  }),

  repositoryEndpoint({
    operation: 'issues/update-comment',
    method: 'PATCH',
    path: '/repos/:owner/:repo/issues/comments/:comment_id',
    docs: 'issues#update-an-issue-comment',
    policy: mayComment,
    formats: ['raw', 'text', 'html', 'full'],
    body: Type.Object({ body: Type.String() }),
    async handle(request, access, { database }) {
      const { path, media, urls } = request;
      const { body } = request.body;
      checkCommentBody(body);
      return changeComment({ database }, access, request, async (sql, comment, change) => {
        await editComment(sql, comment, body, change);
        const { repository } = access;
        const shown = await describeComment(sql, repository, path.comment_id, media.format, urls);
        return ok(shown.body);
      });
    },
  }),

  repositoryEndpoint({
    operation: 'issues/delete-comment',
    method: 'DELETE',
    path: '/repos/:owner/:repo/issues/comments/:comment_id',
    docs: 'issues#delete-an-issue-comment',
    policy: mayComment,
    async handle(request, access, ports) {
      await changeComment(ports, access, request, deleteComment);
      return noContent();
    },
  }),
];
