import { readLineage, writeLineage } from '../recursion/lineage.ts';

/**
 * The chains of requests that an environment's start and its events belong to. Requests of the program continue them, whatever trace
 * header it sends: a program that leaves the header out would otherwise run in a loop without end.
 */
export class InvocationChain {
  readonly #active = new Set<{ readonly traceHeader: string }>();
  /** A program may work on after its response. */
  #last: string;

  /** `start` is the trace header of what the program is started for: it may send requests before its first event. */
  constructor(start: string) {
    this.#last = start;
  }

  /** Returns what ends the event. */
  begin(traceHeader: string): () => void {
    const event = { traceHeader };
    this.#active.add(event);
    this.#last = traceHeader;
    return () => this.#active.delete(event);
  }

  /** Where events are processed at the same time, no request shows which of them it belongs to: it continues all of their chains. */
  lineage(): string {
    const headers = [...this.#active].map(({ traceHeader }) => traceHeader);
    return mergeLineages(headers.length > 0 ? headers : [this.#last]);
  }
}

function mergeLineages(traceHeaders: readonly string[]): string {
  const merged = new Map<string, number>();
  for (const header of traceHeaders) {
    for (const [functionHash, count] of readLineage(header)) {
      merged.set(functionHash, Math.max(merged.get(functionHash) ?? 0, count));
    }
  }
  return writeLineage(merged);
}
