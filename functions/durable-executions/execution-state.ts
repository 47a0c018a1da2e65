import type { Sql } from '#platform/database/database.ts';

import { FunctionsError, invalidParameter } from '../errors/functions-error.ts';
import { readMarker, writeMarker } from '../json/paging.ts';
import type { AccountRegion } from '../model/function-name.ts';
import { findExecution } from './execution-store.ts';
import { executionArn, type Execution } from './execution.ts';
import type { OperationOutline } from './operation-store.ts';

/** The execution of an ARN that satisfies the contract's pattern; every part of the ARN must match. */
export async function findByArn(
  sql: Sql,
  accountRegion: AccountRegion,
  arn: string,
): Promise<Execution | undefined> {
  const execution = await findExecution(sql, arn.slice(arn.lastIndexOf('/') + 1));
  return execution && executionArn(accountRegion, execution) === arn ? execution : undefined;
}

export async function getByArn(
  sql: Sql,
  accountRegion: AccountRegion,
  arn: string,
): Promise<Execution> {
  const execution = await findByArn(sql, accountRegion, arn);
  if (execution) return execution;
  throw new FunctionsError('ResourceNotFoundException', 'Durable Execution does not exist');
}

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

/** Characters of a page of operations or events. */
export const pageCharacters = 4_000_000;

interface StatePage {
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

/** Characters that an operation counts for without its payloads. */
const outlineSize = 400;

/** The marker of the next page of operations or events: the position or number to continue after. */
export function stateMarker(position: number): string {
  return writeMarker([String(position)]);
}

/** Undefined for the beginning. */
export function readStateMarker(marker: string | undefined): number | undefined {
  const [position] = readMarker(marker);
  if (position === undefined) return undefined;
  if (!/^\d{1,15}$/.test(position)) {
    throw invalidParameter('Invalid marker: use the NextMarker of the previous page.');
  }
  return Number(position);
}

/** The number of items of a page: 0 means the default. */
export function pageSize(maxItems: number | undefined): number {
  return maxItems === undefined || maxItems === 0 ? 100 : maxItems;
}
