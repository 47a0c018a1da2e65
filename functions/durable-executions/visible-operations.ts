import type { OperationOutline } from './operation-store.ts';

/**
 * What a replay must know of: what is inside a context that is over need not be done again, unless the program said that it goes
 * through it once more. In the order in which they were begun.
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
  /** Place of the last one, when more follow. */
  readonly next: number | undefined;
}

/** As many of the operations after a place as fit; at least one. */
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

/** Characters of an operation without its payloads. */
const outlineSize = 400;
