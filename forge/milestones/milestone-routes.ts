import Type from 'typebox';

import { uniqueViolation } from '#platform/database/constraint-violation.ts';

import { notFound } from '../errors/api-error.ts';
import { writeRepository } from '../events/invalidate.ts';
import { page as pageResult, ok, created, noContent } from '../http/endpoint-result.ts';
import { stringEnum, nullable } from '../http/schemas.ts';
import { representLabel } from '../labels/label-json.ts';
import { labelsOfMilestone } from '../labels/label-store.ts';
import { callerAccountId } from '../model/caller.ts';
import { fullName } from '../model/repository.ts';
import { mayRead, mayPush } from '../repositories/repository-access.ts';
import { repositoryEndpoint, type Endpoint } from '../routing/endpoint.ts';
import { addMilestone, changeMilestone, removeMilestone } from './change-milestone.ts';
import { describeMilestones, describeMilestone } from './describe-milestones.ts';
import { readMilestoneFilter } from './milestone-filter.ts';
import { readMilestoneInput, refuseTakenTitle } from './milestone-input.ts';
import { listMilestones as milestonesOf, findMilestone } from './milestone-store.ts';

/** The milestones of a repository. */
export const milestoneRoutes: readonly Endpoint[] = [
  repositoryEndpoint({
    operation: 'issues/list-milestones',
    method: 'GET',
    path: '/repos/:owner/:repo/milestones',
    docs: 'issues#list-milestones',
    acceptedScopes: 'repo',
    policy: mayRead,
    cacheable: true,
    async handle({ query, page, urls }, { repository }, { database }) {
      const filter = readMilestoneFilter(query);
      return database.read(async (sql) => {
        const { milestones, total } = await milestonesOf(sql, repository.id, filter, page);
        return pageResult(await describeMilestones(sql, repository, milestones, urls), total);
      });
    },
  }),

  repositoryEndpoint({
    operation: 'issues/get-milestone',
    method: 'GET',
    path: '/repos/:owner/:repo/milestones/:milestone_number',
    docs: 'issues#get-a-milestone',
    acceptedScopes: 'repo',
    policy: mayRead,
    cacheable: true,
    async handle({ path, urls }, { repository }, { database }) {
      const { milestone_number: number } = path;
      return ok(await database.read((sql) => describeMilestone(sql, repository, number, urls)));
    },
  }),

  repositoryEndpoint({
    operation: 'issues/create-milestone',
    method: 'POST',
    path: '/repos/:owner/:repo/milestones',
    docs: 'issues#create-a-milestone',
    policy: mayPush,
    body: Type.Object({
      title: Type.String(),
      state: Type.Optional(stringEnum(['open', 'closed'])),
      description: Type.Optional(nullable(Type.String())),
      due_on: Type.Optional(nullable(Type.String())),
    }),
    async handle({ body, caller, urls, now }, { repository }, { database }) {
      const input = { ...readMilestoneInput(body), title: body.title };
      const number = await writeRepository(database, repository.id, (sql) =>
        addMilestone(sql, {
          repositoryId: repository.id,
          creatorId: caller.account.id,
          input,
          now,
        }),
      ).catch((error: unknown) =>
        uniqueViolation(error) ? refuseTakenTitle() : Promise.reject(error),
      );
      return created(
        await database.read((sql) => describeMilestone(sql, repository, number, urls)),
        urls.milestone(fullName(repository), number),
      );
    },
  }),

  repositoryEndpoint({
    operation: 'issues/update-milestone',
    method: 'PATCH',
    path: '/repos/:owner/:repo/milestones/:milestone_number',
    docs: 'issues#update-a-milestone',
    policy: mayPush,
    body: Type.Object({
      title: Type.Optional(Type.String()),
      state: Type.Optional(stringEnum(['open', 'closed'])),
      description: Type.Optional(nullable(Type.String())),
      due_on: Type.Optional(nullable(Type.String())),
    }),
    async handle({ path, body, caller, urls, now }, { repository }, { database }) {
      const { milestone_number: number } = path;
      const input = readMilestoneInput(body);
      const change = { repositoryId: repository.id, number, actorId: callerAccountId(caller), now };
      await writeRepository(database, repository.id, (sql) =>
        changeMilestone(sql, change, input),
      ).catch((error: unknown) =>
        uniqueViolation(error) ? refuseTakenTitle() : Promise.reject(error),
      );
      return ok(await database.read((sql) => describeMilestone(sql, repository, number, urls)));
    },
  }),

  repositoryEndpoint({
    operation: 'issues/delete-milestone',
    method: 'DELETE',
    path: '/repos/:owner/:repo/milestones/:milestone_number',
    docs: 'issues#delete-a-milestone',
    policy: mayPush,
    async handle({ path, caller, now }, { repository }, { database }) {
      const { id: repositoryId } = repository;
      const { milestone_number: number } = path;
      const change = { repositoryId, number, actorId: callerAccountId(caller), now };
      await writeRepository(database, repositoryId, (sql) => removeMilestone(sql, change));
      return noContent();
    },
  }),

  repositoryEndpoint({
    operation: 'issues/list-labels-for-milestone',
    method: 'GET',
    path: '/repos/:owner/:repo/milestones/:milestone_number/labels',
    docs: 'issues#list-labels-for-issues-in-a-milestone',
    acceptedScopes: 'repo',
    policy: mayRead,
    cacheable: true,
    async handle({ path, page, urls }, { repository }, { database }) {
      return database.read(async (sql) => {
        const milestone = await findMilestone(sql, repository.id, path.milestone_number);
        if (!milestone) return notFound();
        const { labels, total } = await labelsOfMilestone(sql, milestone.id, page);
        const name = fullName(repository);
        return pageResult(
          labels.map((label) => representLabel(label, name, urls)),
          total,
        );
      });
    },
  }),
];
