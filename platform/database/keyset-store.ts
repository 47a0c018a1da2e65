import type { SqlValue, Statements } from './database.ts';

/** The position of a row in a list: the value that the list is sorted by, and the unique number that breaks ties. */
export interface RowKey {
  readonly by: string | number;
  readonly tie: number;
}

/** A part of a list that stays the same while rows are added before it. */
export interface KeysetBounds {
  readonly size: number;
  /** The last rows instead of the first. */
  readonly fromEnd: boolean;
  readonly after?: RowKey | undefined;
  readonly before?: RowKey | undefined;
}

/** A list in SQL. Its parameters are those of `from`, which has the condition too. */
export interface KeysetList {
  readonly columns: string;
  readonly from: string;
  readonly values: readonly SqlValue[];
  /** SQL expressions that are never null: what the list is sorted by, and a unique number. */
  readonly by: string;
  readonly tie: string;
  readonly descending: boolean;
}

export interface Slice<R> {
  /** In the order of the list. */
  readonly rows: readonly (R & { readonly key: RowKey })[];
  /** Whether the list has more rows in the direction in which it was read. */
  readonly more: boolean;
}

interface SliceRequest {
  readonly list: KeysetList;
  readonly bounds: KeysetBounds;
}

/** Lists, or their sizes, that GraphQL reads in one statement; one of SQLite takes 500 terms. */
const partsMax = 400;

/** Parts of several lists in one statement, or a statement for each few hundred; in the order of the requests. */
export async function selectSlices<R extends object>(
  sql: Statements,
  requests: readonly SliceRequest[],
): Promise<Slice<R>[]> {
  const slices: Slice<R>[] = [];
  for (let start = 0; start < requests.length; start += partsMax) {
    slices.push(...(await selectParts<R>(sql, requests.slice(start, start + partsMax))));
  }
  return slices;
}

/** The sizes of several lists, in their order. */
export async function countLists(
  sql: Statements,
  lists: readonly Pick<KeysetList, 'from' | 'values'>[],
): Promise<number[]> {
  const sizes: number[] = [];
  for (let start = 0; start < lists.length; start += partsMax) {
    const values: SqlValue[] = [];
    const parts = lists
      .slice(start, start + partsMax)
      .map(
        (list, index) => `select ${index} as part, count(*) as total from ${bound(list, values)}`,
      );
    const rows = await sql.all<{ part: number; total: number }>(
      parts.join(' union all '),
      ...values,
    );
    for (const { part, total } of rows) sizes[start + part] = total;
  }
  return sizes;
}

async function selectParts<R extends object>(
  sql: Statements,
  requests: readonly SliceRequest[],
): Promise<Slice<R>[]> {
  const values: SqlValue[] = [];
  const parts = requests.map(({ list, bounds }, index) => {
    const from = bound(list, values);
    const bind = (value: SqlValue): string => `$${values.push(value)}`;
    const conditions = [
      ...(bounds.after ? [beyond(list, bounds.after, list.descending ? '<' : '>', bind)] : []),
      ...(bounds.before ? [beyond(list, bounds.before, list.descending ? '>' : '<', bind)] : []),
    ];
    const direction = list.descending === bounds.fromEnd ? 'asc' : 'desc';
    const order = `${list.by} ${direction}, ${list.tie} ${direction}`;
    return `select * from (select ${index} as part, row_number() over (order by ${order}) as rank,
      ${list.by} as key_by, ${list.tie} as key_tie, ${list.columns} from ${[from, ...conditions].join(' and ')}
      order by ${order} limit ${bounds.size + 1}) part_${index}`;
  });
  const rows = await sql.all<R & Keyed>(parts.join(' union all '), ...values);
  const byPart = Map.groupBy(rows, ({ part }) => part);
  return requests.map(({ bounds }, index) => sliceOf(byPart.get(index) ?? [], bounds));
}

interface Keyed {
  part: number;
  rank: number;
  key_by: string | number;
  key_tie: number;
}

/** The source of a list, with its parameters among those of the statement. */
function bound(list: Pick<KeysetList, 'from' | 'values'>, values: SqlValue[]): string {
  const offset = values.length;
  values.push(...list.values);
  return list.from.replaceAll(/\$(\d+)/g, (_, digits) => `$${offset + Number(digits)}`);
}

function beyond(
  { by, tie }: KeysetList,
  key: RowKey,
  comparison: '<' | '>',
  bind: (value: SqlValue) => string,
): string {
  const value = bind(key.by);
  return `(${by} ${comparison} ${value} or (${by} = ${value} and ${tie} ${comparison} ${bind(key.tie)}))`;
}

function sliceOf<R extends object>(
  rows: readonly (R & Keyed)[],
  { size, fromEnd }: KeysetBounds,
): Slice<R> {
  const read = rows
    .toSorted((one, other) => one.rank - other.rank)
    .slice(0, size)
    .map((row) => ({ ...row, key: { by: row.key_by, tie: row.key_tie } }));
  return { rows: fromEnd ? read.toReversed() : read, more: rows.length > size };
}
