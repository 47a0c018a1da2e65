import type { Sql, SqlValue } from '#platform/database/database.ts';
import { type KeysetBounds, selectSlices, type Slice } from '#platform/database/keyset-store.ts';

import { caseless } from '../model/account.ts';
import type { Pull } from '../model/pull.ts';
import { pullColumns, pullFromRow, type PullRow, pullTables } from './pull-store.ts';

/** A list of pulls that clients continue by position instead of page. */
export interface PullSliceFilter {
  readonly repositoryId: number;
  /** Empty: all. */
  readonly states: readonly ('open' | 'closed' | 'merged')[];
  readonly base: string | undefined;
  readonly headRef: string | undefined;
  /** Any of these. */
  readonly labels: readonly string[] | undefined;
  readonly sort: 'created' | 'updated' | 'comments';
  readonly direction: 'asc' | 'desc';
}

const sortColumns: Readonly<Record<PullSliceFilter['sort'], string>> = {
  created: 'i.number',
  updated: 'i.updated_at',
  comments: 'i.comments',
};

/** Parts of several lists of pulls, in one statement. */
export async function slicePulls(
  sql: Sql,
  requests: readonly { readonly filter: PullSliceFilter; readonly bounds: KeysetBounds }[],
): Promise<Slice<{ pull: Pull }>[]> {
  const lists = requests.map(({ filter, bounds }) => ({
    bounds,
    list: {
      columns: pullColumns,
      ...conditionsOf(filter),
      by: sortColumns[filter.sort],
      tie: 'i.number',
      descending: filter.direction === 'desc',
    },
  }));
  const slices = await selectSlices<PullRow>(sql, lists);
  return slices.map(({ rows, more }) => ({
    rows: rows.map((row) => ({ pull: pullFromRow(row), key: row.key })),
    more,
  }));
}

export async function countPulls(sql: Sql, filter: PullSliceFilter): Promise<number> {
  const { from, values } = conditionsOf(filter);
  const row = await sql.get<{ total: number }>(`select count(*) as total from ${from}`, ...values);
  return row?.total ?? 0;
}

const stateConditions = {
  open: `i.state = 'open'`,
  closed: `(i.state = 'closed' and p.merged = 0)`,
  merged: 'p.merged = 1',
} as const;

function conditionsOf(filter: PullSliceFilter): { from: string; values: SqlValue[] } {
  const values: SqlValue[] = [filter.repositoryId];
  const conditions = ['i.repository_id = $1', 'i.is_pull = 1'];
  const bind = (value: SqlValue): string => `$${values.push(value)}`;
  if (filter.states.length > 0) {
    conditions.push(`(${filter.states.map((state) => stateConditions[state]).join(' or ')})`);
  }
  if (filter.base !== undefined) conditions.push(`p.base_ref = ${bind(filter.base)}`);
  if (filter.headRef !== undefined) conditions.push(`p.head_ref = ${bind(filter.headRef)}`);
  if (filter.labels) {
    const names = filter.labels.map((name) => bind(caseless(name)));
    conditions.push(`exists (select 1 from issue_labels x join labels l on l.id = x.label_id
      where x.issue_id = i.id and l.name_key in (${names.join(', ') || 'null'}))`);
  }
  return { from: `${pullTables} where ${conditions.join(' and ')}`, values };
}
