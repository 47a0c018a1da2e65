import { queuedEventBytesMax, queuedEventsMax } from '#functions-contract/limits.ts';
import type { Sql } from '#platform/database/database.ts';

import type { AcceptedEvent, StoredEvent } from './event.ts';

interface EventRow {
  id: number;
  function_id: number;
  name: string;
  request_id: string;
  qualifier: string | null;
  payload: string;
  client_context: string | null;
  tenant_id: string | null;
  trace_header: string | null;
  accepted_at: number;
  attempts: number;
  delays: number;
  claims: number;
}

/** Notified when events were added. */
export const eventsChannel = 'function events';

/**
 * False when the queue of the function is full; the event is not stored then. The messages in the outbox of the function count for events of
 * callers. An event that is itself such a message is accepted until there are twice as many: functions that send messages to each other
 * would otherwise wait for each other.
 */
export async function insertEvent(
  sql: Sql,
  event: AcceptedEvent,
  now: number,
  sender: 'caller' | 'message' = 'caller',
): Promise<boolean> {
  const weight = sender === 'caller' ? 1 : 0;
  const bytes = Buffer.byteLength(event.payload) + Buffer.byteLength(event.clientContext ?? '');
  const before = await messagesBefore(sql, event.functionId);
  const most = {
    events: queuedEventsMax - weight * before.messages,
    bytes: queuedEventBytesMax - weight * before.bytes,
    messages: 2 * queuedEventsMax - before.messages,
    messageBytes: 2 * queuedEventBytesMax - before.bytes,
  };
  if (most.events <= 0 || most.bytes < bytes) return false;
  if (most.messages <= 0 || most.messageBytes < 0) return false;
  // Takes no lock, so only the update below decides; but a refusal then writes nothing, and the payload may have a megabyte.
  const full = await sql.get(
    `select 1 as found from function_event_queues
      where function_id = $1
        and (events + $5 * messages >= $2 or messages >= $6
          or bytes + $5 * message_bytes + $3 > $4 or message_bytes > $7)`,
    event.functionId,
    most.events,
    bytes,
    most.bytes,
    weight,
    most.messages,
    most.messageBytes,
  );
  if (full) return false;
  // Before the queue's row, as when a function is deleted: transactions that take locks in one order do not block each other.
  const row = await sql.get<{ id: number }>(
    `insert into function_events
        (function_id, request_id, qualifier, payload, client_context, tenant_id, trace_header, accepted_at, due_at, bytes)
      values ($1, $2, $3, $4, $5, $6, $7, $8, $8, $9) returning id`,
    event.functionId,
    event.requestId,
    event.qualifier ?? null,
    event.payload,
    event.clientContext ?? null,
    event.tenantId ?? null,
    event.traceHeader ?? null,
    now,
    bytes,
  );
  const counted = await sql.run(
    `insert into function_event_queues (function_id, events, bytes) values ($1, 1, $2)
      on conflict (function_id) do update
      set events = function_event_queues.events + 1, bytes = function_event_queues.bytes + $2
      where function_event_queues.events + $5 * function_event_queues.messages < $3
        and function_event_queues.bytes + $5 * function_event_queues.message_bytes + $2 <= $4`,
    event.functionId,
    bytes,
    most.events,
    most.bytes,
    weight,
  );
  if (counted === 0) {
    await sql.run('delete from function_events where id = $1', row?.id ?? 0);
    return false;
  }
  sql.notify(eventsChannel);
  return true;
}

/** Messages of deleted functions of the same name: otherwise a function that is made again could queue as much again. */
async function messagesBefore(
  sql: Sql,
  functionId: number,
): Promise<{ messages: number; bytes: number }> {
  const row = await sql.get<{ messages: number; bytes: number }>(
    `select count(*) as messages, cast(coalesce(sum(bytes), 0) as bigint) as bytes from function_messages
      where function_name = (select name from functions where id = $1) and function_id < $1`,
    functionId,
  );
  return row ?? { messages: 0, bytes: 0 };
}

/** Functions that have events to run now. */
export async function functionsWithDueEvents(
  sql: Sql,
  now: number,
): Promise<{ id: number; name: string; reserved_concurrency: number | null }[]> {
  // The ends of the index: for "is there one", PostgreSQL, which plans without the values, reads the whole table where there is none.
  const due = await sql.get(
    `select 1 as found where (select min(due_at) from function_events) <= $1
      or (select max(due_at) from function_events) > $2`,
    now,
    now + dueAheadMilliseconds,
  );
  if (!due) return [];
  return sql.all(
    `select f.id, f.name, f.reserved_concurrency from functions f
      where exists (select 1 from function_events e
        where e.function_id = f.id and (e.due_at <= $1 or e.due_at > $2))
      order by f.id`,
    now,
    now + dueAheadMilliseconds,
  );
}

/** The events of a function that have waited longest. */
export async function dueEvents(
  sql: Sql,
  functionId: number,
  now: number,
  limit: number,
): Promise<{ id: number; due_at: number }[]> {
  return sql.all(
    `select id, due_at from function_events where function_id = $1 and (due_at <= $2 or due_at > $3)
      order by due_at, id limit $4`,
    functionId,
    now,
    now + dueAheadMilliseconds,
    limit,
  );
}

/** Claims a due event for a server; undefined when its due time has changed since it was read. */
export async function claimEvent(
  sql: Sql,
  { id, due_at }: { readonly id: number; readonly due_at: number },
  serverId: string,
  now: number,
): Promise<StoredEvent | undefined> {
  const claimed = await sql.run(
    `update function_events set due_at = $3, claimed_by = $4, claims = claims + 1 where id = $1 and due_at = $2`,
    id,
    due_at,
    now + claimMilliseconds,
    serverId,
  );
  if (claimed === 0) return undefined;
  const row = await sql.get<EventRow>(
    `select e.id, e.function_id, f.name, e.request_id, e.qualifier, e.payload, e.client_context, e.tenant_id,
        e.trace_header, e.accepted_at, e.attempts, e.delays, e.claims
      from function_events e join functions f on f.id = e.function_id where e.id = $1`,
    id,
  );
  return row && eventOf(row);
}

/** Schedules another attempt at an event, unless the claim was lost. */
export async function putOffEvent(
  sql: Sql,
  { id, claims }: QueueClaim,
  next: { readonly at: number; readonly attempts: number; readonly delays: number },
): Promise<void> {
  await sql.run(
    `update function_events set due_at = $3, claimed_by = null, attempts = $4, delays = $5
      where id = $1 and claims = $2`,
    id,
    claims,
    next.at,
    next.attempts,
    next.delays,
  );
}

/** False when it was already deleted, with its function, or the claim was lost. */
export async function removeEvent(sql: Sql, { id, claims }: QueueClaim): Promise<boolean> {
  const removed = await sql.get<{ function_id: number; bytes: number }>(
    'delete from function_events where id = $1 and claims = $2 returning function_id, bytes',
    id,
    claims,
  );
  if (!removed) return false;
  await sql.run(
    'update function_event_queues set events = events - 1, bytes = bytes - $2 where function_id = $1',
    removed.function_id,
    removed.bytes,
  );
  return true;
}

function eventOf(row: EventRow): StoredEvent {
  return {
    id: row.id,
    functionId: row.function_id,
    functionName: row.name,
    requestId: row.request_id,
    qualifier: row.qualifier ?? undefined,
    payload: row.payload,
    clientContext: row.client_context ?? undefined,
    tenantId: row.tenant_id ?? undefined,
    traceHeader: row.trace_header ?? undefined,
    acceptedAt: row.accepted_at,
    attempts: row.attempts,
    delays: row.delays,
    claims: row.claims,
  };
}

/**
 * Rows that servers claim by moving `due_at` into the future. Statements that write the outcome of a claim compare `claims`, which
 * each claim increments: a fencing token. A claimed row is due again when its server restarts, or when its lease has expired.
 */
type ClaimedTable =
  | 'function_events'
  | 'function_messages'
  | 'durable_executions'
  | 'function_push_deployments';

/**
 * Claim on an event, a message or an execution, unless it is renewed; after that, other servers take over from one that died.
 */
export const claimMilliseconds = 60_000;

/**
 * How far ahead an event or a message may be due. Nothing is scheduled so far ahead (retries at most five minutes, leases one):
 * a row due later was stored before the clock was set back, and counts as due now. Otherwise it would wait until the clock has
 * caught up.
 */
export const dueAheadMilliseconds = 10 * 60_000;

export interface QueueClaim {
  readonly id: number;
  readonly claims: number;
}

/** Extends the claims that the server has on these rows, except those that it has lost. */
export async function renewClaims(
  sql: Sql,
  table: ClaimedTable,
  serverId: string,
  ids: readonly number[],
  now: number,
): Promise<void> {
  for (const id of ids) {
    await sql.run(
      `update ${table} set due_at = $3 where id = $1 and claimed_by = $2`,
      id,
      serverId,
      now + claimMilliseconds,
    );
  }
}

/** Makes a row due again that the server has claimed but does not process. */
export async function releaseClaim(
  sql: Sql,
  table: Exclude<ClaimedTable, 'durable_executions' | 'function_push_deployments'>,
  serverId: string,
  id: number,
  now: number,
): Promise<void> {
  await sql.run(
    `update ${table} set due_at = $3, claimed_by = null where id = $1 and claimed_by = $2`,
    id,
    serverId,
    now,
  );
}

/** Makes all rows due again that the server had claimed when it died. */
export async function releaseClaims(
  sql: Sql,
  table: Exclude<ClaimedTable, 'durable_executions'>,
  serverId: string,
  now: number,
): Promise<void> {
  await sql.run(
    `update ${table} set due_at = $2, claimed_by = null where claimed_by = $1`,
    serverId,
    now,
  );
}
