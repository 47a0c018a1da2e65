import type { LastUpdateStatus, State } from '#functions-contract/state-codes.ts';
import type { Sql } from '#platform/database/database.ts';

import type { Configuration } from './configuration.ts';

/** A function in a list for people. */
export interface SearchedFunction {
  readonly name: string;
  readonly description: string;
  /** Undefined for a container image. */
  readonly runtime: string | undefined;
  readonly state: State;
  readonly lastUpdateStatus: LastUpdateStatus | undefined;
  /** Epoch milliseconds. */
  readonly lastModified: number;
  /** Since the time that the search names. */
  readonly invocations: number;
  readonly errors: number;
}

/** How a list is ordered; the name decides where that is the same. */
export const functionOrders = {
  name: 'f.name',
  modified: 'v.last_modified desc, f.name',
  invocations: 'invocations desc, f.name',
  errors: 'errors desc, f.name',
} as const;

export type FunctionOrder = keyof typeof functionOrders;

interface Row {
  name: string;
  state: State;
  update_status: LastUpdateStatus | null;
  last_modified: number;
  settings: string;
  /** PostgreSQL sums as numeric, which is read as text. */
  invocations: number | string;
  errors: number | string;
}

/** Functions whose name has this text, whatever the case. */
export async function searchFunctions(
  sql: Sql,
  search: { readonly text: string; readonly order: FunctionOrder; readonly since: number },
  { offset, size }: { readonly offset: number; readonly size: number },
): Promise<SearchedFunction[]> {
  const rows = await sql.all<Row>(
    `select f.name, v.state, v.update_status, v.last_modified, c.settings,
        coalesce(u.invocations, 0) as invocations, coalesce(u.errors, 0) as errors
      from functions f
      join function_versions v on v.function_id = f.id and v.number = 0
      join function_configurations c on c.id = v.configuration_id
      left join (select function_name, sum(invocations) as invocations, sum(errors) as errors
        from function_invocation_counts where beginning >= $1 group by function_name) u on u.function_name = f.name
      where $2 = '' or replace(lower(f.name), $2, '') <> lower(f.name)
      order by ${functionOrders[search.order]} limit $3 offset $4`,
    search.since,
    search.text.toLowerCase(),
    size,
    offset,
  );
  return rows.map((row) => {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- written by function-store.ts
    const settings = JSON.parse(row.settings) as Pick<Configuration, 'Description' | 'Runtime'>;
    return {
      name: row.name,
      description: settings.Description,
      runtime: settings.Runtime,
      state: row.state,
      lastUpdateStatus: row.update_status ?? undefined,
      lastModified: row.last_modified,
      invocations: Number(row.invocations),
      errors: Number(row.errors),
    };
  });
}
