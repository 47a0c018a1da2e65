import type { OperationOutline } from './operation-store.ts';

/**
 * The operations that a replay needs: those inside a completed context are not replayed, unless the program set ReplayChildren. In
 * the order in which they were started.
 */
export function visibleOperations(all: readonly OperationOutline[]): readonly OperationOutline[] {
  const closed = new Set<string>();
  return all.filter((operation) => {
    const { id, parentId, type, status, replayChildren } = operation;
    const isHidden = parentId !== undefined && closed.has(parentId);
    const isOver = status === 'SUCCEEDED' || status === 'FAILED';
    if (isHidden || (type === 'CONTEXT' && isOver && !replayChildren)) closed.add(id);
    return !isHidden;
  });
}

export interface StatePage {
  readonly ids: readonly string[];
  /** Position of the last one, when more follow. */
  readonly next: number | undefined;
}

/** As many of the operations after a position as fit; at least one. */
export function pageOfState(
  visible: readonly OperationOutline[],
  after: number,
  { items, size }: { readonly items: number; readonly size: number },
): StatePage {
  const rest = visible.filter(({ position }) => position > after);
  let left = size;
  let count = 0;
  for (const operation of rest) {
    left -= operation.size + outlineSize;
    if (count > 0 && (left < 0 || count >= items)) break;
    count += 1;
  }
  const page = rest.slice(0, count);
  return {
    ids: page.map(({ id }) => id),
    next: count < rest.length ? page.at(-1)?.position : undefined,
  };
}

/** The assumed size of an operation without its payloads, in characters. */
const outlineSize = 400;
