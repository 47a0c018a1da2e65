import Type from 'typebox';

import { repositoryEndpoint } from '../../routing/endpoint.ts';
import { refuse } from '../../errors/api-error.ts';
import { ok } from '../../http/reply.ts';
import { choice, orNull } from '../../http/schemas.ts';
import { checkPullText } from '../../model/pull-text.ts';
import { describeIssue } from '../describe-issues.ts';
import { issueMembers, readAttributes } from '../issue-input.ts';
import { maySpeak } from '../issue-policies.ts';
import { updateIssue } from '../../pulls/merging/update-issue.ts';

export const updateIssueEndpoint = repositoryEndpoint({
  operation: 'issues/update',
  method: 'PATCH',
  path: '/repos/:owner/:repo/issues/:issue_number',
  docs: 'issues#update-an-issue',
  need: maySpeak,
  formats: ['raw', 'text', 'html', 'full'],
  body: Type.Object({
    ...issueMembers,
    title: Type.Optional(orNull(Type.String())),
    state: Type.Optional(orNull(choice(['open', 'closed']))),
  }),
  async handle(request, { repository, permission }, ports) {
    const { body, caller, path, media, urls, now } = request;
    if (caller.kind !== 'user') return refuse({ kind: 'requires-authentication' });
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
      attributes: readAttributes(body),
      now,
    });
    const described = await ports.database.read((sql) =>
      describeIssue(sql, repository, path.issue_number, media.format, urls),
    );
    return ok(described.body);
  },
});
