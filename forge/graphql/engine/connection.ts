import type { KeysetBounds, RowKey } from '#platform/database/keyset-store.ts';

import { type Arguments, optionalInteger, optionalText } from './arguments.ts';
import { failField } from './field-error.ts';

/** A part of a list with the position of each item, which its cursor names. */
export interface ItemSlice<Item> {
  readonly items: readonly { readonly node: Item; readonly key: RowKey }[];
  readonly more: boolean;
}

/** The source of every connection: nothing is loaded before a field needs it. */
export interface Connection<Item = unknown> {
  readonly page: () => Promise<ConnectionPage<Item>>;
  readonly total: () => number | Promise<number>;
}

export interface ConnectionPage<Item> {
  readonly items: readonly { readonly node: Item; readonly key: RowKey }[];
  readonly hasNext: boolean;
  readonly hasPrevious: boolean;
}

/** Items of a GraphQL connection. */
const sizeMax = 100;

/** Items of a timeline in GraphQL: VS Code asks for 150, and the service answers it. */
const timelineSizeMax = 250;

interface ConnectionParts<Item> {
  readonly load: (bounds: KeysetBounds) => Promise<ItemSlice<Item>>;
  readonly total: () => number | Promise<number>;
  /** What the list is sorted by. Cursors of other lists are refused. */
  readonly keys: 'text' | 'number' | 'any';
}

/** A connection whose items come from `load`, called at most once and only with valid bounds. */
export function connect<Item>(
  name: string,
  values: Arguments,
  { load, total, keys }: ConnectionParts<Item>,
): Connection<Item> {
  let loaded: Promise<ConnectionPage<Item>> | undefined;
  const read = async (): Promise<ConnectionPage<Item>> => {
    const bounds = boundsOf(name, values, keys);
    if (bounds.size === 0) return { items: [], hasNext: false, hasPrevious: false };
    const { items, more } = await load(bounds);
    const { after, before, fromEnd } = bounds;
    return {
      items,
      hasNext: fromEnd ? before !== undefined : more,
      hasPrevious: fromEnd ? more : after !== undefined,
    };
  };
  return { page: () => (loaded ??= read()), total };
}

/** A connection over a list that is short enough to be complete in memory. Keys are unique and do not depend on the order. */
export function connectList<Item>(
  name: string,
  values: Arguments,
  list: () => Promise<readonly Item[]>,
  keyOf: (item: Item) => string | number,
): Connection<Item> {
  let listed: Promise<readonly Item[]> | undefined;
  const all = (): Promise<readonly Item[]> => (listed ??= list());
  const load = async (bounds: KeysetBounds): Promise<ItemSlice<Item>> => {
    const keyed = (await all()).map((node, index) => ({
      node,
      key: { by: keyOf(node), tie: index },
    }));
    const { after, before, size, fromEnd } = bounds;
    const start = after ? positionOf(keyed, after) + 1 : 0;
    const end = before ? positionOf(keyed, before) : keyed.length;
    const within = keyed.slice(start, Math.max(start, end));
    const items = fromEnd ? within.slice(-size) : within.slice(0, size);
    return { items, more: within.length > size };
  };
  return connect(name, values, { load, total: async () => (await all()).length, keys: 'any' });
}

/** A connection that is empty whatever is asked. */
export function emptyConnection(): Connection<never> {
  const nothing = Promise.resolve({ items: [], hasNext: false, hasPrevious: false });
  return { page: () => nothing, total: () => 0 };
}

/** Where the item is now; where it was, if it is gone. */
function positionOf(items: readonly { readonly key: RowKey }[], { by, tie }: RowKey): number {
  const found = items.findIndex(({ key }) => key.by === by);
  return found === -1 ? tie - 1 : found;
}

function boundsOf(
  name: string,
  values: Arguments,
  keys: ConnectionParts<unknown>['keys'],
): KeysetBounds {
  const first = optionalInteger(values, 'first');
  const last = optionalInteger(values, 'last');
  if (first === undefined && last === undefined) {
    const message = `You must provide a \`first\` or \`last\` value to properly paginate the \`${name}\` connection.`;
    return failField('MISSING_PAGINATION_BOUNDARIES', message);
  }
  const limit = name === 'timelineItems' ? timelineSizeMax : sizeMax;
  for (const [argument, size] of Object.entries({ first, last })) {
    if (size === undefined) continue;
    if (size < 0) {
      const message = `\`${argument}\` on the \`${name}\` connection cannot be less than zero.`;
      failField('INVALID_CURSOR_ARGUMENTS', message);
    }
    if (size > limit) {
      const message = `Requesting ${size} records on the \`${name}\` connection exceeds the \`${argument}\` limit of ${limit} records.`;
      failField('EXCESSIVE_PAGINATION', message);
    }
  }
  return {
    size: first ?? last ?? 0,
    fromEnd: first === undefined,
    after: keyOfCursor(optionalText(values, 'after'), keys),
    before: keyOfCursor(optionalText(values, 'before'), keys),
  };
}

const cursorPrefix = 'cursor:v1:';

/** Opaque to clients. It names the item and not its number, so that pages neither skip nor repeat items when others are added. */
export function cursorOf({ by, tie }: RowKey): string {
  return Buffer.from(`${cursorPrefix}${JSON.stringify([by, tie])}`).toString('base64');
}

function keyOfCursor(
  cursor: string | undefined,
  keys: ConnectionParts<unknown>['keys'],
): RowKey | undefined {
  if (cursor === undefined || cursor === '') return undefined;
  const text = Buffer.from(cursor, 'base64').toString('utf8');
  const key = text.startsWith(cursorPrefix) ? parsed(text.slice(cursorPrefix.length)) : undefined;
  if (key && (keys === 'any' || (typeof key.by === 'number') === (keys === 'number'))) return key;
  const message = `\`${cursor.slice(0, 100)}\` does not appear to be a valid cursor.`;
  return failField('INVALID_CURSOR_ARGUMENTS', message);
}

function parsed(text: string): RowKey | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (!Array.isArray(value) || value.length !== 2) return undefined;
  const [by, tie]: unknown[] = value;
  if (typeof tie !== 'number' || !Number.isSafeInteger(tie)) return undefined;
  if (typeof by === 'number') return Number.isSafeInteger(by) ? { by, tie } : undefined;
  return typeof by === 'string' && !by.includes('\0') && by.isWellFormed()
    ? { by, tie }
    : undefined;
}
