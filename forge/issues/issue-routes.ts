import { visibleKind } from '../auth/apps/issue-kind.ts';
import { isInstallation } from '../model/caller.ts';
import Type from 'typebox';

import { notFound } from '../errors/api-error.ts';
import { writeRepository } from '../events/invalidate.ts';
import { page as pageResult, ok, created, noContent } from '../http/endpoint-result.ts';
import { stringEnum, nullable } from '../http/schemas.ts';
import { closeReasons, lockReasons } from '../model/issue.ts';
import { checkPullText } from '../model/pull-text.ts';
import { fullName } from '../model/repository.ts';
import { updateIssue } from '../pulls/operations/update-issue.ts';
import { mayRead, mayPush, mayComment } from '../repositories/repository-access.ts';
import { repositoryEndpoint, type Endpoint } from '../routing/endpoint.ts';
import { assigneeRoutes } from './assignee-routes.ts';
import { changeIssue, setAttributes } from './change-issue.ts';
import { loadIssueRelations, describeIssue } from './describe-issues.ts';
import { insertIssue, lockIssue, unlockIssue } from './issue-change-store.ts';
import { issueCommentRoutes } from './issue-comment-routes.ts';
import { issueEventRoutes } from './issue-event-routes.ts';
import { readIssueFilter } from './issue-filter.ts';
import { issueProperties, readAttributes } from './issue-input.ts';
import { representIssueSummary } from './issue-json.ts';
import { issueLabelRoutes } from './issue-label-routes.ts';
import { listIssues } from './issue-store.ts';

/** Issues, and what belongs to an issue. */
export const issueRoutes: readonly Endpoint[] = [
  repositoryEndpoint({
    operation: 'issues/list-for-repo',
    method: 'GET',
    path: '/repos/:owner/:repo/issues',
    docs: 'issues#list-repository-issues',
    acceptedScopes: 'repo',
    policy: mayRead,
    formats: ['raw', 'text', 'html', 'full'],
    cacheable: true,
    async handle({ query, page, media, urls, caller }, { repository }, { database }) {
      const only =
        repository.private && isInstallation(caller)
          ? visibleKind(caller.installation.permissions)
          : undefined;
      const filter = { ...readIssueFilter(query), only };
      return database.read(async (sql) => {
        const { issues, total } = await listIssues(sql, repository.id, filter, page);
        const relations = await loadIssueRelations(sql, repository, issues);
        return pageResult(
          issues.map((issue) => representIssueSummary(issue, relations, media.format, urls)),
          total,
        );
      });
    },
  }),

  repositoryEndpoint({
    operation: 'issues/get',
    method: 'GET',
    path: '/repos/:owner/:repo/issues/:issue_number',
    docs: 'issues#get-an-issue',
    acceptedScopes: 'repo',
    policy: mayRead,
    formats: ['raw', 'text', 'html', 'full'],
    cacheable: true,
    async handle(request, { repository }, { database }) {
      const { path, media } = request;
      const { body, updatedAt } = await database.read((sql) =>
        describeIssue(sql, repository, path.issue_number, media.format, request),
      );
      return ok(body, { lastModified: updatedAt });
    },
  }),

  repositoryEndpoint({
    operation: 'issues/create',
    method: 'POST',
    path: '/repos/:owner/:repo/issues',
    docs: 'issues#create-an-issue',
    policy: mayComment,
    formats: ['raw', 'text', 'html', 'full'],
    body: Type.Object({ ...issueProperties, title: Type.String() }),
    async handle(request, { repository, permission }, { database }) {
      const { body, caller, media, urls, now } = request;
      if (!repository.hasIssues) return notFound('Issues are disabled for this repo');
      checkPullText(body);
      const authorId = caller.account.id;
      return writeRepository(database, repository.id, async (sql) => {
        const issue = await insertIssue(sql, {
          repositoryId: repository.id,
          authorId,
          title: body.title,
          body: body.body ?? null,
          now,
        });
        const change = {
          issueId: issue.id,
          repositoryId: repository.id,
          actorId: authorId,
          now,
        };
        await setAttributes(sql, change, readAttributes(body), authorId, permission);
        const { number } = issue;
        // It may be elsewhere after this transaction.
        const shown = await describeIssue(sql, repository, number, media.format, request);
        return created(shown.body, urls.issue(fullName(repository), number));
      });
    },
  }),

  repositoryEndpoint({
    operation: 'issues/update',
    method: 'PATCH',
    path: '/repos/:owner/:repo/issues/:issue_number',
    docs: 'issues#update-an-issue',
    policy: mayComment,
    formats: ['raw', 'text', 'html', 'full'],
    body: Type.Object({
      ...issueProperties,
      title: Type.Optional(nullable(Type.String())),
      state: Type.Optional(nullable(stringEnum(['open', 'closed']))),
      state_reason: Type.Optional(nullable(stringEnum([...closeReasons, 'reopened']))),
    }),
    async handle(request, { repository, permission }, ports) {
      const { body, caller, path, media, now } = request;
      const title = body.title ?? undefined;
      checkPullText({ title, body: body.body });
      await updateIssue(ports, {
        repository,
        number: path.issue_number,
        caller,
        permission,
        title,
        body: body.body,
        state: body.state ?? undefined,
        closeReason: closeReasons.find((reason) => reason === body.state_reason),
        attributes: readAttributes(body),
        now,
      });
      const representation = await ports.database.read((sql) =>
        describeIssue(sql, repository, path.issue_number, media.format, request),
      );
      return ok(representation.body);
    },
  }),

  repositoryEndpoint({
    operation: 'issues/lock',
    method: 'PUT',
    path: '/repos/:owner/:repo/issues/:issue_number/lock',
    docs: 'issues#lock-an-issue',
    acceptedScopes: 'public_repo, repo',
    policy: mayPush,
    body: Type.Object({ lock_reason: Type.Optional(nullable(stringEnum(lockReasons))) }),
    async handle(request, { repository }, ports) {
      const reason = request.body.lock_reason ?? null;
      await changeIssue(ports, repository, request, (sql, change, issue) =>
        lockIssue(sql, issue, reason, change),
      );
      return noContent();
    },
  }),

  repositoryEndpoint({
    operation: 'issues/unlock',
    method: 'DELETE',
    path: '/repos/:owner/:repo/issues/:issue_number/lock',
    docs: 'issues#unlock-an-issue',
    acceptedScopes: 'public_repo, repo',
    policy: mayPush,
    async handle(request, { repository }, ports) {
      await changeIssue(ports, repository, request, (sql, change, issue) =>
        unlockIssue(sql, issue, change),
      );
      return noContent();
    },
  }),

  ...issueCommentRoutes,

  ...issueEventRoutes,

  ...issueLabelRoutes,

  ...assigneeRoutes,
];
