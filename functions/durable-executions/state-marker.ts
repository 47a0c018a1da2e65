import { invalidParameter } from '../errors/functions-error.ts';
import { readMarker, writeMarker } from '../json/paging.ts';

/** Where a list of operations or events goes on: after a place or number. */
export function stateMarker(place: number): string {
  return writeMarker([String(place)]);
}

/** Undefined for the beginning. */
export function readStateMarker(marker: string | undefined): number | undefined {
  const [place] = readMarker(marker);
  if (place === undefined) return undefined;
  if (!/^\d{1,15}$/.test(place)) {
    throw invalidParameter('Invalid marker: use the NextMarker of the previous page.');
  }
  return Number(place);
}

/** How many items a page has: 0 is taken like nothing. */
export function pageSize(maxItems: number | undefined): number {
  return maxItems === undefined || maxItems === 0 ? 100 : maxItems;
}
