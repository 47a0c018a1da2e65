import Type from 'typebox';

import { representAccount } from '../accounts/account-json.ts';
import { findAccount } from '../accounts/account-store.ts';
import { notFound } from '../errors/api-error.ts';
import { page as pageResult, noContent, created, ok } from '../http/endpoint-result.ts';
import { fullName } from '../model/repository.ts';
import { mayRead, mayTriage } from '../repositories/repository-access.ts';
import { repositoryEndpoint, type Endpoint } from '../routing/endpoint.ts';
import { listAssignable } from './assignee-store.ts';
import { mayBeAssigned, addAssignees, removeAssignees } from './change-assignees.ts';
import { changeIssue } from './change-issue.ts';
import { describeIssue } from './describe-issues.ts';

/** The assignees of an issue, and the users who can be assigned. */
export const assigneeRoutes: readonly Endpoint[] = [
  repositoryEndpoint({
    operation: 'issues/list-assignees',
    method: 'GET',
    path: '/repos/:owner/:repo/assignees',
    docs: 'issues#list-assignees',
    acceptedScopes: 'repo',
    policy: mayRead,
    cacheable: true,
    async handle({ page, urls }, { repository }, { database }) {
      const { accounts, total } = await database.read((sql) =>
        listAssignable(sql, repository, page),
      );
      return pageResult(
        accounts.map((account) => representAccount(account, urls)),
        total,
      );
    },
  }),

  repositoryEndpoint({
    operation: 'issues/check-user-can-be-assigned',
    method: 'GET',
    path: '/repos/:owner/:repo/assignees/:assignee',
    docs: 'issues#check-if-a-user-can-be-assigned',
    acceptedScopes: 'repo',
    policy: mayRead,
    async handle({ path }, { repository }, { database }) {
      const assignable = await database.read(async (sql) => {
        const account = await findAccount(sql, path.assignee);
        return account && mayBeAssigned(sql, repository.id, undefined, account);
      });
      return assignable ? noContent() : notFound();
    },
  }),

  repositoryEndpoint({
    operation: 'issues/add-assignees',
    method: 'POST',
    path: '/repos/:owner/:repo/issues/:issue_number/assignees',
    docs: 'issues#add-assignees-to-an-issue',
    policy: mayTriage,
    formats: ['raw', 'text', 'html', 'full'],
    body: Type.Object({ assignees: Type.Optional(Type.Array(Type.String())) }),
    async handle(request, { repository }, { database }) {
      const { body, path, media, urls } = request;
      await changeIssue({ database }, repository, request, (sql, change, issue) =>
        addAssignees(sql, change, issue.authorId, body.assignees ?? []),
      );
      const representation = await database.read((sql) =>
        describeIssue(sql, repository, path.issue_number, media.format, request),
      );
      return created(representation.body, urls.issue(fullName(repository), path.issue_number));
    },
  }),

  repositoryEndpoint({
    operation: 'issues/remove-assignees',
    method: 'DELETE',
    path: '/repos/:owner/:repo/issues/:issue_number/assignees',
    docs: 'issues#remove-assignees-from-an-issue',
    policy: mayTriage,
    formats: ['raw', 'text', 'html', 'full'],
    body: Type.Object({ assignees: Type.Optional(Type.Array(Type.String())) }),
    async handle(request, { repository }, { database }) {
      const { body, path, media } = request;
      await changeIssue({ database }, repository, request, (sql, change) =>
        removeAssignees(sql, change, body.assignees ?? []),
      );
      const representation = await database.read((sql) =>
        describeIssue(sql, repository, path.issue_number, media.format, request),
      );
      return ok(representation.body);
    },
  }),
];
