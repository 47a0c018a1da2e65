import Type from 'typebox';

import { repositoryEndpoint } from '../../routing/endpoint.ts';
import { notFound, refuse } from '../../errors/api-error.ts';
import { created } from '../../http/reply.ts';
import { checkPullText } from '../../model/pull-text.ts';
import { fullName } from '../../model/repository.ts';
import { writeRepository } from '../../events/invalidate.ts';
import { describeIssue } from '../describe-issues.ts';
import { issueMembers, readAttributes } from '../issue-input.ts';
import { insertIssue } from '../issue-change-store.ts';
import { maySpeak } from '../issue-policies.ts';
import { setAttributes } from '../set-attributes.ts';

export const createIssue = repositoryEndpoint({
  operation: 'issues/create',
  method: 'POST',
  path: '/repos/:owner/:repo/issues',
  docs: 'issues#create-an-issue',
  need: maySpeak,
  formats: ['raw', 'text', 'html', 'full'],
  body: Type.Object({ ...issueMembers, title: Type.String() }),
  async handle(request, { repository, permission }, { database }) {
    const { body, caller, media, urls, now } = request;
    if (caller.kind !== 'user') return refuse({ kind: 'requires-authentication' });
    if (!repository.hasIssues) return notFound('Issues are disabled for this repo');
    checkPullText(body);
    const authorId = caller.account.id;
    const number = await writeRepository(database, repository.id, async (sql) => {
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
      return issue.number;
    });
    const described = await database.read((sql) =>
      describeIssue(sql, repository, number, media.format, urls),
    );
    return created(described.body, urls.issue(fullName(repository), number));
  },
});
