import { invalidParameter } from '../errors/functions-error.ts';
import { readMarker, writeMarker } from '../json/paging.ts';

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
