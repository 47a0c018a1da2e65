import type { Sql } from '#platform/database/database.ts';
import { present } from '#platform/present.ts';
import { type BranchName, branchRef, noObject, type ObjectId, type RefName } from '../git/names.ts';
import type { MergeRecord } from '../pulls/merge-store.ts';
import type { RefMove } from '../git/ref-update.ts';

/** A branch that gets another name. Its open pulls, its rules and, where it is the default branch, the repository follow. */
export interface BranchRename {
  readonly from: BranchName;
  readonly to: BranchName;
  readonly tip: ObjectId;
}

/** A planned change of a repository's refs, made durable before git is called. */
export interface RefIntent {
  readonly id: number;
  readonly repositoryId: number;
  /** A push may move some of them and not others; every other change moves all or none. */
  readonly refs: readonly RefMove[];
  /** Set for the merge of a pull: everything needed to complete its row after a crash. */
  readonly merge: MergeRecord | undefined;
  /** Set for the renaming of a branch. */
  readonly rename?: BranchRename | undefined;
  /** Set for `refs/pull/N/head` of a pull that was opened in the same transaction: the ref is to be created after a crash as well. */
  readonly opensPull?: boolean | undefined;
  /** Who asked for it. */
  readonly actorId?: number | undefined;
  /** The chain of requests that it belongs to (platform/invocation-lineage.ts). */
  readonly lineage?: string | undefined;
  /** Identifies an intent whose id is unknown because the database did not acknowledge it. */
  readonly key?: string | undefined;
}

interface Payload {
  readonly refs: readonly RefMove[];
  readonly merge?: MergeRecord;
  readonly rename?: BranchRename;
  readonly opensPull?: boolean;
  readonly actorId?: number;
  readonly lineage?: string;
  readonly key?: string;
}

export type NewIntent = Omit<RefIntent, 'id'> & {
  readonly kind: 'push' | 'update' | 'merge';
  readonly now: number;
  /** Whose request it is. */
  readonly serverId?: string;
};

/** Fails with a unique violation when the pull to be merged is being merged already. */
export async function insertIntent(sql: Sql, intent: NewIntent): Promise<number> {
  const row = await sql.get<{ id: number }>(
    `insert into ref_intents (repository_id, kind, merged_pull_id, payload, created_at, server_id)
     values ($1, $2, $3, $4, $5, $6) returning id`,
    intent.repositoryId,
    intent.kind,
    intent.merge?.pullId ?? null,
    formatPayload(intent),
    intent.now,
    intent.serverId ?? null,
  );
  if (!row) throw new Error('insert into ref_intents returned no row');
  return row.id;
}

/** The id of the intent with this key, if it was committed. */
export async function findIntentByKey(
  sql: Sql,
  repositoryId: number,
  key: string,
): Promise<number | undefined> {
  const intents = await openIntentsOf(sql, repositoryId);
  return intents.find((intent) => intent.key === key)?.id;
}

/** false if it was already deleted: the request or process that deleted it has written the rows. */
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

/** Where an open intent is. */
export interface OpenIntent {
  readonly id: number;
  readonly networkId: number;
  readonly shardId: number;
  /** Whose request it was; null in those of earlier versions. */
  readonly serverId: string | null;
}

/** The oldest first. */
export async function openIntents(sql: Sql): Promise<OpenIntent[]> {
  const rows = await sql.all<{
    id: number;
    network_id: number;
    shard_id: number;
    server_id: string | null;
  }>(
    `select i.id, i.server_id, r.network_id, n.shard_id from ref_intents i
      join repositories r on r.id = i.repository_id join networks n on n.id = r.network_id order by i.id`,
  );
  return rows.map((row) => ({
    id: row.id,
    networkId: row.network_id,
    shardId: row.shard_id,
    serverId: row.server_id,
  }));
}

export async function findIntent(sql: Sql, id: number): Promise<RefIntent | undefined> {
  const row = await sql.get<IntentRow>(
    `select id, repository_id, payload from ref_intents where id = $1`,
    id,
  );
  return row && intentFromRow(row);
}

export async function openIntentsOf(sql: Sql, repositoryId: number): Promise<RefIntent[]> {
  const rows = await sql.all<IntentRow>(
    `select id, repository_id, payload from ref_intents where repository_id = $1 order by id`,
    repositoryId,
  );
  return rows.map(intentFromRow);
}

/** The actor of an open intent that moves one of these refs, if there is one. */
export async function intentActorOf(
  sql: Sql,
  repositoryId: number,
  refs: readonly RefName[],
): Promise<number | undefined> {
  const intents = await openIntentsOf(sql, repositoryId);
  return intents.find((intent) => intent.refs.some((move) => refs.includes(move.ref)))?.actorId;
}

/** The renamings of branches that are under way: their refs may have moved, and their rows have not followed yet. */
export async function openRenames(sql: Sql, repositoryId: number): Promise<BranchRename[]> {
  const rows = await sql.all<{ payload: string }>(
    // A quote within a name is escaped in JSON, so no name looks like the field.
    `select payload from ref_intents where repository_id = $1 and payload like '%"rename":{%' order by id`,
    repositoryId,
  );
  return rows.flatMap(({ payload }) => readPayload(payload).rename ?? []);
}

/** Whether a renaming under way names one of these refs. */
export async function isBeingRenamed(
  sql: Sql,
  repositoryId: number,
  refs: readonly RefName[],
): Promise<boolean> {
  const renames = await openRenames(sql, repositoryId);
  return renames.some(({ from, to }) =>
    [branchRef(from), branchRef(to)].some((ref) => refs.includes(ref)),
  );
}

/** Whether a change under way deletes the ref. */
export async function isBeingDeleted(
  sql: Sql,
  repositoryId: number,
  ref: RefName,
): Promise<boolean> {
  const intents = await openIntentsOf(sql, repositoryId);
  return intents.some(({ refs }) => refs.some((move) => move.ref === ref && move.new === noObject));
}

/**
 * Removes moves that were just recorded from other open intents: if two intents contain the same move of a ref, git makes it
 * once, and after a crash the ref alone would not show for which of them.
 */
export async function removeMovesFromOtherIntents(
  sql: Sql,
  repositoryId: number,
  moves: readonly RefMove[],
): Promise<void> {
  const claimed = new Set(moves.map(moveKey));
  for (const intent of await openIntentsOf(sql, repositoryId)) {
    const { id, refs } = intent;
    const left = refs.filter((move) => !claimed.has(moveKey(move)));
    if (left.length === refs.length) continue;
    const payload = formatPayload({ ...intent, refs: left });
    await sql.run(`update ref_intents set payload = $2 where id = $1`, id, payload);
  }
}

function moveKey(move: RefMove): string {
  return `${move.old} ${move.new} ${move.ref}`;
}

interface IntentRow {
  readonly id: number;
  readonly repository_id: number;
  readonly payload: string;
}

function intentFromRow(row: IntentRow): RefIntent {
  return {
    id: row.id,
    repositoryId: row.repository_id,
    merge: undefined,
    ...readPayload(row.payload),
  };
}

function formatPayload({
  refs,
  merge,
  rename,
  opensPull,
  actorId,
  lineage,
  key,
}: Omit<RefIntent, 'id' | 'repositoryId'>): string {
  const payload: Payload = {
    refs,
    ...present({ merge, rename, opensPull, actorId, lineage, key }),
  };
  return JSON.stringify(payload);
}

function readPayload(text: string): Payload {
  // Only this file writes the column.
  const payload: Payload = JSON.parse(text);
  return payload;
}
