import type { Sql } from '#platform/database/database.ts';

import type { HistoryEvent } from './operation.ts';

/** Events that one statement inserts; more take several. */
const eventsOfStatement = 100;

/** Appends to the history; the first event gets the number after `last`. */
export async function insertEvents(
  sql: Sql,
  executionId: number,
  last: number,
  events: readonly HistoryEvent[],
): Promise<void> {
  for (let from = 0; from < events.length; from += eventsOfStatement) {
    const some = events.slice(from, from + eventsOfStatement);
    const rows = some.map((_event, index) => `($1, $${2 * index + 2}, $${2 * index + 3})`);
    await sql.run(
      `insert into durable_events (execution_id, number, event) values ${rows.join(', ')}`,
      executionId,
      ...some.flatMap((event, index) => [last + from + index + 1, JSON.stringify(event)]),
    );
  }
}

export interface NumberedEvent {
  readonly number: number;
  readonly event: HistoryEvent;
}

export interface HistoryPage {
  readonly events: readonly NumberedEvent[];
  readonly hasMore: boolean;
}

/** The events after a given one, or before it in reverse order: as many as fit, at least one. */
export async function listEvents(
  sql: Sql,
  executionId: number,
  { newestFirst, after }: { readonly newestFirst: boolean; readonly after: number | undefined },
  { items, size }: { readonly items: number; readonly size: number },
): Promise<HistoryPage> {
  const outline = await sql.all<{ number: number; size: number }>(
    newestFirst
      ? `select number, length(event) as size from durable_events
          where execution_id = $1 and number < $2 order by number desc limit $3`
      : `select number, length(event) as size from durable_events
          where execution_id = $1 and number > $2 order by number limit $3`,
    executionId,
    after ?? (newestFirst ? Number.MAX_SAFE_INTEGER : 0),
    items + 1,
  );
  let left = size;
  const fitting = outline.slice(0, items).filter((event, index) => {
    left -= event.size;
    return index === 0 || left >= 0;
  });
  if (fitting.length === 0) return { events: [], hasMore: false };
  const numbers = fitting.map(({ number }) => number);
  const rows = await sql.all<{ number: number; event: string }>(
    'select number, event from durable_events where execution_id = $1 and number between $2 and $3 order by number',
    executionId,
    Math.min(...numbers),
    Math.max(...numbers),
  );
  const events = rows.map(({ number, event }) => ({
    number,
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- written by this file
    event: JSON.parse(event) as HistoryEvent,
  }));
  return {
    events: newestFirst ? events.toReversed() : events,
    hasMore: numbers.length < outline.length,
  };
}
