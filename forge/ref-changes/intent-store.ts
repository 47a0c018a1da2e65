import type { Sql } from '#platform/database.ts';

import type { ObjectId, RefName } from '../git/names.ts';
import type { MergeRecord } from '../pulls/pull-change-store.ts';

/** What is about to happen to a repository's refs, made durable before git is asked. */
export interface RefIntent {
  readonly id: number;
  readonly repositoryId: number;
  readonly refs: readonly IntendedMove[];
  /** Set when the move is the merge of a pull: all that its row needs to be finished after a crash. */
  readonly merge: MergeRecord | undefined;
  /** Who asked for it. */
  readonly actorId?: number | undefined;
}

export interface IntendedMove {
  readonly ref: RefName;
  readonly old: ObjectId;
  readonly new: ObjectId;
}

interface Payload {
  readonly refs: readonly IntendedMove[];
  readonly merge?: MergeRecord;
  readonly actorId?: number;
}

/** Fails with a unique violation when the pull to be merged is being merged already. */
export async function insertIntent(
  sql: Sql,
  intent: Omit<RefIntent, 'id'> & { kind: 'push' | 'update' | 'merge'; now: number },
): Promise<number> {
  const { refs, merge, actorId } = intent;
  const payload: Payload = {
    refs,
    ...(merge ? { merge } : {}),
    ...(actorId === undefined ? {} : { actorId }),
  };
  const row = await sql.get<{ id: number }>(
    `insert into ref_intents (repository_id, kind, merged_pull_id, payload, created_at)
     values ($1, $2, $3, $4, $5) returning id`,
    intent.repositoryId,
    intent.kind,
    intent.merge?.pullId ?? null,
    JSON.stringify(payload),
    intent.now,
  );
  if (!row) throw new Error('insert into ref_intents returned no row');
  return row.id;
}

/** false when it is gone already: whoever removed it has written what follows. */
export async function deleteIntent(sql: Sql, id: number): Promise<boolean> {
  return (await sql.run(`delete from ref_intents where id = $1`, id)) === 1;
}

/** The merge of a pull that is under way. */
export async function intendedMerge(sql: Sql, pullId: number): Promise<MergeRecord | undefined> {
  const row = await sql.get<{ payload: string }>(
    `select payload from ref_intents where merged_pull_id = $1`,
    pullId,
  );
  return row && readPayload(row.payload).merge;
}

export async function openIntents(sql: Sql): Promise<RefIntent[]> {
  const rows = await sql.all<{ id: number; repository_id: number; payload: string }>(
    `select id, repository_id, payload from ref_intents order by id`,
  );
  return rows.map((row) => {
    const payload = readPayload(row.payload);
    return {
      id: row.id,
      repositoryId: row.repository_id,
      refs: payload.refs,
      merge: payload.merge,
      actorId: payload.actorId,
    };
  });
}

function readPayload(text: string): Payload {
  // Written by insertIntent and by nobody else.
  const payload: Payload = JSON.parse(text);
  return payload;
}
