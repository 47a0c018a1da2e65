import { setTimeout as delay } from 'node:timers/promises';

/** How the requests of a load were answered. */
export interface LoadReport {
  acknowledged: number;
  /** Refusals that a fault excuses, by what they were: `503`, `no response` and the like. */
  readonly refused: Map<string, number>;
  /** Responses that no fault excuses, as text. */
  readonly unexpected: string[];
}

export function createLoadReport(): LoadReport {
  return { acknowledged: 0, refused: new Map(), unexpected: [] };
}

/** A response that the load does not count as done: the round ends, and the next one tries something else. */
export class NotDone extends Error {
  readonly reason: string;

  constructor(reason: string) {
    super(reason);
    this.name = 'NotDone';
    this.reason = reason;
  }
}

/**
 * Repeats a piece of work until it is stopped, whatever happens to the server. What fails without a server is
 * counted, and retried after a pause.
 */
export async function repeat(
  signal: AbortSignal,
  report: LoadReport,
  work: (round: number) => Promise<void>,
): Promise<void> {
  for (let round = 1; !signal.aborted; round += 1) {
    try {
      await work(round);
    } catch (error) {
      const reason = error instanceof NotDone ? error.reason : reasonOf(error);
      report.refused.set(reason, (report.refused.get(reason) ?? 0) + 1);
      // The pause without a server is longer than the one after a refusal.
      await delay(
        reason === 'no answer' || reason === '503' ? 5 * pauseMilliseconds : pauseMilliseconds,
      );
    }
  }
}

const pauseMilliseconds = 20;

/** A connection that breaks has one reason, whatever the client calls it. */
function reasonOf(error: unknown): string {
  const text =
    error instanceof Error ? `${error.name} ${error.message} ${String(error.cause)}` : '';
  if (
    /fetch failed|ECONN|EPIPE|socket hang up|terminated|aborted|other side closed|UND_ERR/.test(
      text,
    )
  ) {
    return 'no answer';
  }
  return text.slice(0, 300);
}
