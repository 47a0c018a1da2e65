import Type from 'typebox';

import { uniqueViolation } from '#platform/unique-violation.ts';

import { mayPush } from '../../access/repository-access.ts';
import { repositoryEndpoint } from '../../conventions/endpoint.ts';
import { refuse } from '../../conventions/refusal.ts';
import { created } from '../../conventions/reply.ts';
import { choice, orNull } from '../../conventions/shapes.ts';
import { fullName } from '../../repositories/repository.ts';
import { writeRepository } from '../../response-cache/invalidate.ts';
import { addMilestone } from '../change-milestone.ts';
import { describeMilestone } from '../describe-milestones.ts';
import { readMilestoneWish, refuseTakenTitle } from '../milestone-wish.ts';

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
