import Type from 'typebox';

import { repositoryEndpoint } from '../../conventions/endpoint.ts';
import { refuse } from '../../conventions/refusal.ts';
import { ok } from '../../conventions/reply.ts';
import { choice, orNull } from '../../conventions/shapes.ts';
import { checkPullText } from '../../pulls/pull-text.ts';
import { describeIssue } from '../describe-issues.ts';
import { issueMembers, readAttributes } from '../issue-body.ts';
import { maySpeak } from '../issue-needs.ts';
import { updateIssue } from '../update-issue.ts';

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
