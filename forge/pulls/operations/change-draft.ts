import type { UserCaller } from '../../model/caller.ts';
import { notFound, refuse } from '../../errors/api-error.ts';
import type { Ports } from '../../ports/ports.ts';
import { type Repository } from '../../model/repository.ts';
import { writeRepository } from '../../events/invalidate.ts';
import { emitPullEvent } from '../../events/event-outbox-store.ts';
import { setPullDraft } from '../draft-store.ts';
import { mayEdit } from './edit-pull.ts';
import { findPullById } from '../pull-store.ts';
import type { Pull } from '../../model/pull.ts';
import { scheduleMergeabilityCheck } from '../mergeability.ts';

export interface ChangeDraftInput {
  readonly pull: Pull;
  readonly repository: Repository;
  readonly caller: UserCaller;
  readonly draft: boolean;
  readonly now: number;
}

/** Converts an open pull to a draft, or marks a draft as ready for review. Without a change there is no event. */
export async function changeDraft(ports: Ports, change: ChangeDraftInput): Promise<Pull> {
  const { pull, repository, caller, draft, now } = change;
  const changed = await writeRepository(ports.database, repository.id, async (sql) => {
    const current = (await findPullById(sql, pull.id)) ?? notFound();
    if (!(await mayEdit(sql, caller, repository, current))) return notFound();
    if (current.state === 'closed') {
      const wanted = draft ? 'converted to a draft' : 'marked as ready for review';
      refuse({ kind: 'unprocessable', message: `A closed pull request cannot be ${wanted}.` });
    }
    if (current.draft === draft) return current;
    await setPullDraft(sql, current, draft, caller.account.id, now);
    const action = draft ? 'converted_to_draft' : 'ready_for_review';
    await emitPullEvent(sql, current, caller.account.id, { action }, now);
    return (await findPullById(sql, pull.id)) ?? notFound();
  });
  scheduleMergeabilityCheck(ports, changed.id);
  return changed;
}
