import type { Sql } from '#platform/database/database.ts';

import { findCommitComment } from '../commit-comments/commit-comment-store.ts';
import { findComment } from '../issues/comment-store.ts';
import { findIssue, issuesById } from '../issues/issue-store.ts';
import type { Caller } from '../model/caller.ts';
import type { Repository } from '../model/repository.ts';
import { visibleRelease } from '../releases/visible-release.ts';
import { mayComment, mayRead } from '../repositories/repository-access.ts';
import { findReviewComment } from '../review-comments/review-comment-store.ts';
import { repositoryEndpoint, type Endpoint } from '../routing/endpoint.ts';
import { type FindSubject, react, reactionBody, reactionsReply, unreact } from './react.ts';

const scopes = { acceptedScopes: 'public_repo, repo' } as const;

/** Reactions: https://docs.github.com/rest/reactions/reactions */
export const reactionRoutes: readonly Endpoint[] = [
  repositoryEndpoint({
    operation: 'reactions/list-for-issue',
    method: 'GET',
    path: '/repos/:owner/:repo/issues/:issue_number/reactions',
    docs: 'reactions#list-reactions-for-an-issue',
    policy: mayRead,
    cacheable: true,
    handle: (request, { repository }, ports) =>
      reactionsReply(issue(repository, request.path.issue_number), request, ports),
  }),
  repositoryEndpoint({
    ...scopes,
    operation: 'reactions/create-for-issue',
    method: 'POST',
    path: '/repos/:owner/:repo/issues/:issue_number/reactions',
    docs: 'reactions#create-reaction-for-an-issue',
    policy: mayComment,
    body: reactionBody,
    handle: (request, access, ports) =>
      react(issue(access.repository, request.path.issue_number), request, access, ports),
  }),
  repositoryEndpoint({
    ...scopes,
    operation: 'reactions/delete-for-issue',
    method: 'DELETE',
    path: '/repos/:owner/:repo/issues/:issue_number/reactions/:reaction_id',
    docs: 'reactions#delete-an-issue-reaction',
    policy: mayComment,
    handle(request, access, ports) {
      const { issue_number: number, reaction_id: id } = request.path;
      return unreact(issue(access.repository, number), id, request, access, ports);
    },
  }),

  repositoryEndpoint({
    operation: 'reactions/list-for-issue-comment',
    method: 'GET',
    path: '/repos/:owner/:repo/issues/comments/:comment_id/reactions',
    docs: 'reactions#list-reactions-for-an-issue-comment',
    policy: mayRead,
    cacheable: true,
    handle: (request, { repository }, ports) =>
      reactionsReply(issueComment(repository, request.path.comment_id), request, ports),
  }),
  repositoryEndpoint({
    ...scopes,
    operation: 'reactions/create-for-issue-comment',
    method: 'POST',
    path: '/repos/:owner/:repo/issues/comments/:comment_id/reactions',
    docs: 'reactions#create-reaction-for-an-issue-comment',
    policy: mayComment,
    body: reactionBody,
    handle: (request, access, ports) =>
      react(issueComment(access.repository, request.path.comment_id), request, access, ports),
  }),
  repositoryEndpoint({
    ...scopes,
    operation: 'reactions/delete-for-issue-comment',
    method: 'DELETE',
    path: '/repos/:owner/:repo/issues/comments/:comment_id/reactions/:reaction_id',
    docs: 'reactions#delete-an-issue-comment-reaction',
    policy: mayComment,
    handle(request, access, ports) {
      const { comment_id: comment, reaction_id: id } = request.path;
      return unreact(issueComment(access.repository, comment), id, request, access, ports);
    },
  }),

  repositoryEndpoint({
    operation: 'reactions/list-for-pull-request-review-comment',
    method: 'GET',
    path: '/repos/:owner/:repo/pulls/comments/:comment_id/reactions',
    docs: 'reactions#list-reactions-for-a-pull-request-review-comment',
    policy: mayRead,
    cacheable: true,
    handle: (request, { repository }, ports) =>
      reactionsReply(reviewComment(repository, request.path.comment_id), request, ports),
  }),
  repositoryEndpoint({
    ...scopes,
    operation: 'reactions/create-for-pull-request-review-comment',
    method: 'POST',
    path: '/repos/:owner/:repo/pulls/comments/:comment_id/reactions',
    docs: 'reactions#create-reaction-for-a-pull-request-review-comment',
    policy: mayComment,
    body: reactionBody,
    handle: (request, access, ports) =>
      react(reviewComment(access.repository, request.path.comment_id), request, access, ports),
  }),
  repositoryEndpoint({
    ...scopes,
    operation: 'reactions/delete-for-pull-request-comment',
    method: 'DELETE',
    path: '/repos/:owner/:repo/pulls/comments/:comment_id/reactions/:reaction_id',
    docs: 'reactions#delete-a-pull-request-comment-reaction',
    policy: mayComment,
    handle(request, access, ports) {
      const { comment_id: comment, reaction_id: id } = request.path;
      return unreact(reviewComment(access.repository, comment), id, request, access, ports);
    },
  }),

  repositoryEndpoint({
    operation: 'reactions/list-for-commit-comment',
    method: 'GET',
    path: '/repos/:owner/:repo/comments/:commit_comment_id/reactions',
    docs: 'reactions#list-reactions-for-a-commit-comment',
    policy: mayRead,
    cacheable: true,
    handle: (request, { repository }, ports) =>
      reactionsReply(commitComment(repository, request.path.commit_comment_id), request, ports),
  }),
  repositoryEndpoint({
    ...scopes,
    operation: 'reactions/create-for-commit-comment',
    method: 'POST',
    path: '/repos/:owner/:repo/comments/:commit_comment_id/reactions',
    docs: 'reactions#create-reaction-for-a-commit-comment',
    policy: mayComment,
    body: reactionBody,
    handle: (request, access, ports) =>
      react(
        commitComment(access.repository, request.path.commit_comment_id),
        request,
        access,
        ports,
      ),
  }),
  repositoryEndpoint({
    ...scopes,
    operation: 'reactions/delete-for-commit-comment',
    method: 'DELETE',
    path: '/repos/:owner/:repo/comments/:commit_comment_id/reactions/:reaction_id',
    docs: 'reactions#delete-a-commit-comment-reaction',
    policy: mayComment,
    handle(request, access, ports) {
      const { commit_comment_id: comment, reaction_id: id } = request.path;
      return unreact(commitComment(access.repository, comment), id, request, access, ports);
    },
  }),

  repositoryEndpoint({
    operation: 'reactions/list-for-release',
    method: 'GET',
    path: '/repos/:owner/:repo/releases/:release_id/reactions',
    docs: 'reactions#list-reactions-for-a-release',
    policy: mayRead,
    handle: (request, { repository }, ports) =>
      reactionsReply(release(repository, request.caller, request.path.release_id), request, ports),
  }),
  repositoryEndpoint({
    ...scopes,
    operation: 'reactions/create-for-release',
    method: 'POST',
    path: '/repos/:owner/:repo/releases/:release_id/reactions',
    docs: 'reactions#create-reaction-for-a-release',
    policy: mayComment,
    body: reactionBody,
    handle(request, access, ports) {
      const find = release(access.repository, request.caller, request.path.release_id);
      return react(find, request, access, ports);
    },
  }),
  repositoryEndpoint({
    ...scopes,
    operation: 'reactions/delete-for-release',
    method: 'DELETE',
    path: '/repos/:owner/:repo/releases/:release_id/reactions/:reaction_id',
    docs: 'reactions#delete-a-release-reaction',
    policy: mayComment,
    handle(request, access, ports) {
      const find = release(access.repository, request.caller, request.path.release_id);
      return unreact(find, request.path.reaction_id, request, access, ports);
    },
  }),
];

function issue({ id: repositoryId }: Repository, number: number): FindSubject {
  return async (sql) => {
    const found = await findIssue(sql, repositoryId, number);
    return found && { kind: 'issue', id: found.id, locked: found.locked };
  };
}

function issueComment({ id: repositoryId }: Repository, id: number): FindSubject {
  return async (sql) => {
    const found = await findComment(sql, repositoryId, id);
    if (!found) return undefined;
    return { kind: 'issue_comment', id, locked: await isLocked(sql, found.issue.id) };
  };
}

function reviewComment({ id: repositoryId }: Repository, id: number): FindSubject {
  return async (sql) => {
    const found = await findReviewComment(sql, repositoryId, id);
    if (!found) return undefined;
    return { kind: 'review_comment', id, locked: await isLocked(sql, found.pullId) };
  };
}

function commitComment({ id: repositoryId }: Repository, id: number): FindSubject {
  return async (sql) => {
    const found = await findCommitComment(sql, repositoryId, id);
    return found && { kind: 'commit_comment', id };
  };
}

function release(repository: Repository, caller: Caller, id: number): FindSubject {
  return async (sql) => {
    const found = await visibleRelease(sql, caller, repository, id);
    return { kind: 'release', id: found.id };
  };
}

async function isLocked(sql: Sql, issueId: number): Promise<boolean> {
  return (await issuesById(sql, [issueId])).get(issueId)?.locked ?? false;
}
