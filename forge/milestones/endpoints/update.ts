import Type from 'typebox';

import { uniqueViolation } from '#platform/database/unique-violation.ts';

import { callerAccountId } from '../../model/caller.ts';
import { mayPush } from '../../repositories/repository-access.ts';
import { repositoryEndpoint } from '../../routing/endpoint.ts';
import { ok } from '../../http/reply.ts';
import { choice, orNull } from '../../http/schemas.ts';
import { writeRepository } from '../../events/invalidate.ts';
import { changeMilestone } from '../change-milestone.ts';
import { describeMilestone } from '../describe-milestones.ts';
import { readMilestoneWish, refuseTakenTitle } from '../milestone-input.ts';

export const updateMilestoneEndpoint = repositoryEndpoint({
  operation: 'issues/update-milestone',
  method: 'PATCH',
  path: '/repos/:owner/:repo/milestones/:milestone_number',
  docs: 'issues#update-a-milestone',
  need: mayPush,
  body: Type.Object({
    title: Type.Optional(Type.String()),
    state: Type.Optional(choice(['open', 'closed'])),
    description: Type.Optional(orNull(Type.String())),
    due_on: Type.Optional(orNull(Type.String())),
  }),
  async handle({ path, body, caller, urls, now }, { repository }, { database }) {
    const { milestone_number: number } = path;
    const wish = readMilestoneWish(body);
    const change = { repositoryId: repository.id, number, actorId: callerAccountId(caller), now };
    await writeRepository(database, repository.id, (sql) =>
      changeMilestone(sql, change, wish),
    ).catch((error: unknown) =>
      uniqueViolation(error) ? refuseTakenTitle() : Promise.reject(error),
    );
    return ok(await database.read((sql) => describeMilestone(sql, repository, number, urls)));
  },
});
