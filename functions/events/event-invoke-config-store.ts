import type { Sql } from '#platform/database/database.ts';

import { latest } from '../configuration/function-record.ts';
import type { EventHandling } from './event.ts';

/** How events of a function, a version or an alias are handled, as configured. */
export interface EventInvokeConfig extends EventHandling {
  /** `$LATEST`, a number or an alias. */
  readonly qualifier: string;
  /** Epoch milliseconds. */
  readonly modifiedAt: number;
}

interface ConfigRow {
  qualifier: string;
  retry_attempts_max: number | null;
  age_seconds_max: number | null;
  on_success: string | null;
  on_failure: string | null;
  modified_at: number;
}

const columns =
  'qualifier, retry_attempts_max, age_seconds_max, on_success, on_failure, modified_at';

/** Undefined when there is none: the defaults then apply. */
export async function findHandling(
  sql: Sql,
  functionId: number,
  qualifier: string = latest,
): Promise<EventInvokeConfig | undefined> {
  const row = await sql.get<ConfigRow>(
    `select ${columns} from event_invoke_configs where function_id = $1 and qualifier = $2`,
    functionId,
    qualifier,
  );
  return row && configOf(row);
}

export async function listHandlings(
  sql: Sql,
  functionId: number,
  after: string,
  limit: number,
): Promise<EventInvokeConfig[]> {
  const rows = await sql.all<ConfigRow>(
    `select ${columns} from event_invoke_configs where function_id = $1 and qualifier > $2
      order by qualifier limit $3`,
    functionId,
    after,
    limit,
  );
  return rows.map(configOf);
}

export async function replaceHandling(
  sql: Sql,
  functionId: number,
  config: EventInvokeConfig,
): Promise<void> {
  await forgetHandling(sql, functionId, config.qualifier);
  await sql.run(
    `insert into event_invoke_configs (function_id, ${columns}) values ($1, $2, $3, $4, $5, $6, $7)`,
    functionId,
    config.qualifier,
    config.retryAttemptsMax ?? null,
    config.ageSecondsMax ?? null,
    config.onSuccess ?? null,
    config.onFailure ?? null,
    config.modifiedAt,
  );
}

/** False when there was none. Call it when a version or alias is deleted, too. */
export async function forgetHandling(
  sql: Sql,
  functionId: number,
  qualifier: string,
): Promise<boolean> {
  const gone = await sql.run(
    'delete from event_invoke_configs where function_id = $1 and qualifier = $2',
    functionId,
    qualifier,
  );
  return gone > 0;
}

function configOf(row: ConfigRow): EventInvokeConfig {
  return {
    qualifier: row.qualifier,
    retryAttemptsMax: row.retry_attempts_max ?? undefined,
    ageSecondsMax: row.age_seconds_max ?? undefined,
    onSuccess: row.on_success ?? undefined,
    onFailure: row.on_failure ?? undefined,
    modifiedAt: row.modified_at,
  };
}
