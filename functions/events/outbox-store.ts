import type { Sql } from '#platform/database/database.ts';

import type { Message } from '../configured-resources/endpoint-request.ts';
import { dueAheadMilliseconds, claimMilliseconds, type QueueClaim } from './event-store.ts';

/** A message to be delivered to a target. */
export interface OutboxMessage {
  readonly target: string;
  readonly message: Message;
}

/** A message that this server has claimed. */
export interface StoredMessage extends OutboxMessage, QueueClaim {
  readonly createdAt: number;
  readonly attempts: number;
}

/**
 * Called in the transaction that ends the event: once committed, the message survives any crash. It counts in the queue of the
 * event's function until it is delivered, so that a function whose targets take nothing gets no more events.
 */
export async function insertMessage(
  sql: Sql,
  { target, message }: OutboxMessage,
  functionId: number,
  now: number,
): Promise<void> {
  const text = JSON.stringify(message);
  const bytes = Buffer.byteLength(text);
  await sql.run(
    `insert into function_messages (target, message, function_id, function_name, bytes, created_at, due_at)
      values ($1, $2, $3, (select name from functions where id = $3), $4, $5, $5)`,
    target,
    text,
    functionId,
    bytes,
    now,
  );
  await changeMessages(sql, functionId, { messages: 1, bytes });
}

/** A deleted function has no queue: its messages count for the next one of its name (event-store.ts). */
async function changeMessages(
  sql: Sql,
  functionId: number,
  change: { readonly messages: number; readonly bytes: number },
): Promise<void> {
  await sql.run(
    `update function_event_queues set messages = messages + $2, message_bytes = message_bytes + $3
      where function_id = $1`,
    functionId,
    change.messages,
    change.bytes,
  );
}

/** Messages that are due, longest due first, with a limit for each target so that none delays the others. */
export async function dueMessages(
  sql: Sql,
  now: number,
  most: { readonly toOne: number; readonly inAll: number; readonly offset: number },
): Promise<{ id: number; due_at: number; target: string; function_name: string | null }[]> {
  return sql.all(
    `select id, due_at, target, function_name from (
        select id, due_at, target, function_name, row_number() over (partition by target order by due_at, id) as position
        from function_messages where due_at <= $1 or due_at > $2
      ) q where position <= $3 order by due_at, id limit $4 offset $5`,
    now,
    now + dueAheadMilliseconds,
    most.toOne,
    most.inAll,
    most.offset,
  );
}

/** Undefined when another server claimed it first. */
export async function claimMessage(
  sql: Sql,
  { id, due_at }: { readonly id: number; readonly due_at: number },
  serverId: string,
  now: number,
): Promise<StoredMessage | undefined> {
  const row = await sql.get<{
    target: string;
    message: string;
    created_at: number;
    attempts: number;
    claims: number;
  }>(
    `update function_messages set due_at = $3, claimed_by = $4, claims = claims + 1 where id = $1 and due_at = $2
      returning target, message, created_at, attempts, claims`,
    id,
    due_at,
    now + claimMilliseconds,
    serverId,
  );
  return (
    row && {
      id,
      target: row.target,
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- written by this file
      message: JSON.parse(row.message) as Message,
      createdAt: row.created_at,
      attempts: row.attempts,
      claims: row.claims,
    }
  );
}

/** Schedules another attempt to deliver a message, unless the claim was lost. */
export async function putOffMessage(
  sql: Sql,
  { id, claims }: QueueClaim,
  next: { readonly at: number; readonly attempts: number },
): Promise<void> {
  await sql.run(
    `update function_messages set due_at = $3, claimed_by = null, attempts = $4 where id = $1 and claims = $2`,
    id,
    claims,
    next.at,
    next.attempts,
  );
}

/** False when the claim was lost. */
export async function removeMessage(sql: Sql, { id, claims }: QueueClaim): Promise<boolean> {
  const removed = await sql.get<{ function_id: number | null; bytes: number }>(
    'delete from function_messages where id = $1 and claims = $2 returning function_id, bytes',
    id,
    claims,
  );
  if (!removed) return false;
  // Messages of before they were counted have no function.
  if (removed.function_id !== null) {
    await changeMessages(sql, removed.function_id, { messages: -1, bytes: -removed.bytes });
  }
  return true;
}
