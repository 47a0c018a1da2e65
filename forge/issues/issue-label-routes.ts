import Type from 'typebox';

import type { Sql } from '#platform/database/database.ts';

import { notFound } from '../errors/api-error.ts';
import { page as pageResult, ok, noContent } from '../http/endpoint-result.ts';
import type { Json } from '../json/json-values.ts';
import type { Urls } from '../json/urls.ts';
import { representLabel } from '../labels/label-json.ts';
import { findLabel, labelsOfIssues } from '../labels/label-store.ts';
import { atLeast } from '../model/permission.ts';
import { fullName, type Repository } from '../model/repository.ts';
import { mayRead, mayTriage } from '../repositories/repository-access.ts';
import { repositoryEndpoint, type Endpoint } from '../routing/endpoint.ts';
import { changeIssue } from './change-issue.ts';
import { addLabels, replaceLabels, removeLabel } from './change-labels.ts';
import { labelList, labelNames } from './issue-input.ts';
import { findIssue } from './issue-store.ts';

/** The labels of an issue. */
export const issueLabelRoutes: readonly Endpoint[] = [
  repositoryEndpoint({
    operation: 'issues/list-labels-on-issue',
    method: 'GET',
    path: '/repos/:owner/:repo/issues/:issue_number/labels',
    docs: 'issues#list-labels-for-an-issue',
    acceptedScopes: 'repo',
    policy: mayRead,
    cacheable: true,
    async handle({ path, page, urls }, { repository }, { database }) {
      const labels = await database.read((sql) =>
        labelsOfIssue(sql, repository, path.issue_number, urls),
      );
      // An issue has few labels, so one statement reads all of them.
      return pageResult(labels.slice(page.offset, page.offset + page.size), labels.length);
    },
  }),

  repositoryEndpoint({
    operation: 'issues/add-labels',
    method: 'POST',
    path: '/repos/:owner/:repo/issues/:issue_number/labels',
    docs: 'issues#add-labels-to-an-issue',
    policy: mayTriage,
    arrayField: 'labels',
    body: Type.Object({ labels: labelList }),
    async handle(request, { repository, permission }, { database }) {
      const { body, path, urls } = request;
      const mayCreate = atLeast(permission, 'write');
      await changeIssue({ database }, repository, request, (sql, change) =>
        addLabels(sql, change, { names: labelNames(body.labels), mayCreate }),
      );
      return ok(
        await database.read((sql) => labelsOfIssue(sql, repository, path.issue_number, urls)),
      );
    },
  }),

  repositoryEndpoint({
    operation: 'issues/set-labels',
    method: 'PUT',
    path: '/repos/:owner/:repo/issues/:issue_number/labels',
    docs: 'issues#set-labels-for-an-issue',
    policy: mayTriage,
    arrayField: 'labels',
    body: Type.Object({ labels: Type.Optional(labelList) }),
    async handle(request, { repository, permission }, { database }) {
      const { body, path, urls } = request;
      const mayCreate = atLeast(permission, 'write');
      await changeIssue({ database }, repository, request, (sql, change) =>
        replaceLabels(sql, change, { names: labelNames(body.labels ?? []), mayCreate }),
      );
      return ok(
        await database.read((sql) => labelsOfIssue(sql, repository, path.issue_number, urls)),
      );
    },
  }),

  repositoryEndpoint({
    operation: 'issues/remove-label',
    method: 'DELETE',
    path: '/repos/:owner/:repo/issues/:issue_number/labels/:name',
    docs: 'issues#remove-a-label-from-an-issue',
    policy: mayTriage,
    async handle(request, { repository }, { database }) {
      const { path, urls } = request;
      await changeIssue({ database }, repository, request, async (sql, change) => {
        const label = await findLabel(sql, repository.id, path.name);
        const removed = label !== undefined && (await removeLabel(sql, change, label));
        if (!removed) notFound('Label does not exist');
      });
      return ok(
        await database.read((sql) => labelsOfIssue(sql, repository, path.issue_number, urls)),
      );
    },
  }),

  repositoryEndpoint({
    operation: 'issues/remove-all-labels',
    method: 'DELETE',
    path: '/repos/:owner/:repo/issues/:issue_number/labels',
    docs: 'issues#remove-all-labels-from-an-issue',
    policy: mayTriage,
    async handle(request, { repository }, ports) {
      await changeIssue(ports, repository, request, (sql, change) =>
        replaceLabels(sql, change, { names: [], mayCreate: false }),
      );
      return noContent();
    },
  }),
];

/** Representations of all labels of the issue of this number. */
async function labelsOfIssue(
  sql: Sql,
  repository: Repository,
  number: number,
  urls: Urls,
): Promise<Json[]> {
  const issue = (await findIssue(sql, repository.id, number)) ?? notFound();
  const labels = (await labelsOfIssues(sql, [issue.id])).get(issue.id) ?? [];
  return labels.map((label) => representLabel(label, fullName(repository), urls));
}
