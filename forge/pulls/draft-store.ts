import type { RepositoryWrite } from '../events/invalidate.ts';
import { touchIssue } from '../issues/issue-change-store.ts';
import { recordEvent } from '../issues/issue-event-store.ts';
import type { Pull } from '../model/pull.ts';

export async function setPullDraft(
  sql: RepositoryWrite,
  pull: Pull,
  draft: boolean,
  actorId: number,
  now: number,
): Promise<void> {
  const change = { issueId: pull.id, repositoryId: pull.repositoryId, actorId, now };
  await sql.run(`update pulls set draft = $2 where id = $1`, pull.id, Number(draft));
  await recordEvent(sql, change, { event: draft ? 'convert_to_draft' : 'ready_for_review' });
  await touchIssue(sql, change);
}
