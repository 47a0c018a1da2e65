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

/** Parts of several lists in one statement, in the order of the requests. */
export async function selectSlices<R extends object>(
  sql: Statements,
  requests: readonly { readonly list: KeysetList; readonly bounds: KeysetBounds }[],
): Promise<Slice<R>[]> {
  if (requests.length === 0) return [];
  const values: SqlValue[] = [];
  const parts = requests.map(({ list, bounds }, index) => {
    const offset = values.length;
    values.push(...list.values);
    const bind = (value: SqlValue): string => `$${values.push(value)}`;
    const from = list.from.replaceAll(/\$(\d+)/g, (_, digits) => `$${offset + Number(digits)}`);
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
