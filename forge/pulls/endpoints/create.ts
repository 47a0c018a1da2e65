import Type, { type Static } from 'typebox';

import { mayRead } from '../../repositories/repository-access.ts';
import { repositoryEndpoint } from '../../routing/endpoint.ts';
import { invalid, refuse } from '../../errors/api-error.ts';
import { created } from '../../http/reply.ts';
import { orNull } from '../../http/schemas.ts';
import { fullName } from '../../model/repository.ts';
import { createPull } from '../merging/create-pull.ts';
import type { CreatePullInput } from '../create-pull-input.ts';
import { findPull } from '../pull-store.ts';
import { checkPullText } from '../../model/pull-text.ts';
import { describePull } from '../merging/pull-relations.ts';
import { scheduleMergeabilityCheck } from '../mergeability.ts';

const body = Type.Object({
  base: Type.String(),
  head: Type.String(),
  title: Type.Optional(orNull(Type.String())),
  body: Type.Optional(orNull(Type.String())),
  issue: Type.Optional(orNull(Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER }))),
  head_repo: Type.Optional(orNull(Type.String())),
  maintainer_can_modify: Type.Optional(orNull(Type.Boolean())),
  draft: Type.Optional(orNull(Type.Boolean())),
});

export const createPullRequest = repositoryEndpoint({
  operation: 'pulls/create',
  method: 'POST',
  path: '/repos/:owner/:repo/pulls',
  docs: 'pulls#create-a-pull-request',
  need: { ...mayRead, changes: true },
  formats: ['raw', 'text', 'html', 'full'],
  body,
  async handle(request, { repository }, ports) {
    const { caller, urls, now } = request;
    if (caller.kind !== 'user') return refuse({ kind: 'requires-authentication' });
    const number = await createPull(ports, {
      repository,
      caller,
      subject: subjectOf(request.body),
      base: request.body.base,
      head: request.body.head,
      headRepository: request.body.head_repo ?? undefined,
      draft: request.body.draft ?? false,
      maintainerCanModify: request.body.maintainer_can_modify ?? undefined,
      now,
    });
    const answer = await ports.database.read(async (sql) => {
      const pull = await findPull(sql, repository.id, number);
      if (!pull) throw new Error(`pull ${number} vanished after it was made`);
      return { id: pull.id, body: await describePull(sql, repository, pull, request) };
    });
    scheduleMergeabilityCheck(ports, answer.id);
    return created(answer.body, urls.pull(fullName(repository), number));
  },
});

function subjectOf(asked: Static<typeof body>): CreatePullInput['subject'] {
  if (typeof asked.issue === 'number') return { issueNumber: asked.issue };
  if (typeof asked.title !== 'string') {
    return invalid({ resource: 'Issue', code: 'missing_field', field: 'title' });
  }
  checkPullText({ title: asked.title, body: asked.body });
  return { title: asked.title, body: asked.body ?? null };
}
