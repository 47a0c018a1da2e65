/** How much work of one kind waits in the database or is claimed by a server. */
export interface QueueSize {
  /** A name of the program. */
  readonly queue: string;
  readonly items: number;
  /** Those of them that have failed at least once. */
  readonly retrying: number;
  /** When the oldest was enqueued; undefined where age means nothing, or nothing is there. */
  readonly oldestAt: number | undefined;
}

/** A row of a query that measures queues. */
export interface QueueRow {
  readonly queue: string;
  readonly items: number;
  readonly retrying: number;
  readonly oldest_at: number | null;
}

export function queueSizeOf({ queue, items, retrying, oldest_at: oldest }: QueueRow): QueueSize {
  return { queue, items, retrying, oldestAt: oldest ?? undefined };
}
