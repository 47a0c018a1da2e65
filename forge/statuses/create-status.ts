import type { Database } from '#platform/database/database.ts';

import { invalid, refuse } from '../errors/api-error.ts';
import type { Git } from '../git/git.ts';
import { parseObjectId } from '../git/names.ts';
import { writeRepository } from '../events/invalidate.ts';
import { emitEvent } from '../events/event-outbox-store.ts';
import type { CommitStatus, StatusInput } from '../model/commit-status.ts';
import { findCommit } from './known-commits.ts';
import { insertStatus } from './status-store.ts';

export interface CreateStatusRequest {
  readonly input: StatusInput;
  readonly repositoryId: number;
  /** Must be a full commit id, because a branch may soon point to another commit. */
  readonly revision: string;
  readonly creatorId: number;
  readonly now: number;
}

/** Creates a status of an existing commit. */
export async function createStatus(
  { database, git }: { database: Database; git: Git },
  { input, repositoryId, revision, creatorId, now }: CreateStatusRequest,
): Promise<CommitStatus> {
  const sha = parseObjectId(revision);
  if (!sha || (await findCommit(git, repositoryId, sha)) !== sha) {
    return refuse({ kind: 'unprocessable', message: `No commit found for SHA: ${revision}` });
  }
  const status = { ...input, repositoryId, sha, creatorId, createdAt: now };
  return writeRepository(database, repositoryId, async (sql) => {
    const inserted = (await insertStatus(sql, status)) ?? refuseFullContext();
    await emitEvent(sql, repositoryId, { event: 'status', status: inserted }, now);
    return inserted;
  });
}

/** The limit of docs/specification/forge.md 6.4. Thrown inside the transaction, so that the excess status is rolled back. */
function refuseFullContext(): never {
  return invalid({
    resource: 'Status',
    code: 'custom',
    message: 'This SHA and context has reached the maximum number of statuses.',
  });
}
