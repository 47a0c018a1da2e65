import { invalidParameter } from '../errors/functions-error.ts';
import { readMarker, writeMarker } from '../json/paging.ts';

/** Where a list of operations or events goes on: after a place or number. */
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

/** How many items a page has: 0 is taken like nothing. */
export function pageSize(maxItems: number | undefined): number {
  return maxItems === undefined || maxItems === 0 ? 100 : maxItems;
}
