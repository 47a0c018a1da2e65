import Type from 'typebox';

import { uniqueViolation } from '#platform/database/unique-violation.ts';

import { mayPush } from '../../repositories/repository-access.ts';
import { repositoryEndpoint } from '../../routing/endpoint.ts';
import { refuse } from '../../errors/api-error.ts';
import { created } from '../../http/reply.ts';
import { choice, orNull } from '../../http/schemas.ts';
import { fullName } from '../../model/repository.ts';
import { writeRepository } from '../../events/invalidate.ts';
import { addMilestone } from '../change-milestone.ts';
import { describeMilestone } from '../describe-milestones.ts';
import { readMilestoneWish, refuseTakenTitle } from '../milestone-input.ts';

export const createMilestone = repositoryEndpoint({
  operation: 'issues/create-milestone',
  method: 'POST',
  path: '/repos/:owner/:repo/milestones',
  docs: 'issues#create-a-milestone',
  need: mayPush,
  body: Type.Object({
    title: Type.String(),
    state: Type.Optional(choice(['open', 'closed'])),
    description: Type.Optional(orNull(Type.String())),
    due_on: Type.Optional(orNull(Type.String())),
  }),
  async handle({ body, caller, urls, now }, { repository }, { database }) {
    if (caller.kind !== 'user') return refuse({ kind: 'requires-authentication' });
    const wish = { ...readMilestoneWish(body), title: body.title };
    const number = await writeRepository(database, repository.id, (sql) =>
      addMilestone(sql, {
        repositoryId: repository.id,
        creatorId: caller.account.id,
        wish,
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
});
