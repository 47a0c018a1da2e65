import type { Sql } from '#platform/database/database.ts';

import { type FailureRecord, noFailures } from './lockout.ts';

export async function findLoginFailures(sql: Sql, accountId: number): Promise<FailureRecord> {
  const row = await sql.get<{ times: string; locked_until: number }>(
    `select times, locked_until from login_failures where account_id = $1`,
    accountId,
  );
  return row ? { times: readTimes(row.times), lockedUntil: row.locked_until } : noFailures;
}

export async function putLoginFailures(
  sql: Sql,
  accountId: number,
  { times, lockedUntil }: FailureRecord,
): Promise<void> {
  await sql.run(
    `insert into login_failures (account_id, times, locked_until) values ($1, $2, $3)
     on conflict (account_id) do update set times = excluded.times, locked_until = excluded.locked_until`,
    accountId,
    JSON.stringify(times),
    lockedUntil,
  );
}

function readTimes(text: string): readonly number[] {
  const times: unknown = JSON.parse(text);
  return Array.isArray(times) ? times.filter((time) => typeof time === 'number') : [];
}
