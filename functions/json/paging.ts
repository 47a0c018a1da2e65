import { listPageMax } from '#functions-contract/limits.ts';

import { type FunctionsError, invalidParameter } from '../errors/functions-error.ts';

export interface ItemPage<T> {
  readonly items: readonly T[];
  /** Requests the next page; undefined on the last. */
  readonly marker: string | undefined;
}

/** One page of a list, from a position on. Requests one item more than a page has, to know whether another page follows. */
export async function pageOf<T>(
  maxItems: number | undefined,
  list: (limit: number) => Promise<readonly T[]>,
  positionOf: (last: T) => readonly string[],
): Promise<ItemPage<T>> {
  const size = Math.min(maxItems ?? listPageMax, listPageMax);
  const found = await list(size + 1);
  const items = found.slice(0, size);
  const last = items.at(-1);
  const more = found.length > size && last !== undefined;
  return { items, marker: more ? writeMarker(positionOf(last)) : undefined };
}

/** The position in a marker; empty for the beginning. */
export function readMarker(marker: string | undefined): readonly string[] {
  if (marker === undefined) return [];
  try {
    const position: unknown = JSON.parse(Buffer.from(marker, 'base64url').toString());
    if (Array.isArray(position) && position.every((part) => typeof part === 'string')) {
      return position;
    }
  } catch {
    // Refused below, like any other invalid marker.
  }
  throw invalidMarker();
}

/** The position in a marker of a list in the order of numbers. */
export function readNumberMarker(marker: string | undefined, beginning = 0): number {
  const [position = String(beginning)] = readMarker(marker);
  return markerNumber(position);
}

/** A number in the position of a marker, which callers can make up. */
export function markerNumber(text: string): number {
  if (/^-?\d{1,16}$/.test(text) && Number.isSafeInteger(Number(text))) return Number(text);
  throw invalidMarker();
}

function invalidMarker(): FunctionsError {
  return invalidParameter('Invalid marker: use the NextMarker of the previous page.');
}

/** What `readMarker` reads back. */
export function writeMarker(position: readonly string[]): string {
  return Buffer.from(JSON.stringify(position)).toString('base64url');
}
