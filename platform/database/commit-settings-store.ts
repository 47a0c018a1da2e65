import type { Sql } from './database.ts';

/** What decides whether PostgreSQL keeps what it has acknowledged. Undefined: what speaks its protocol does not know the setting. */
export interface CommitSettings {
  readonly fsync: string | undefined;
  readonly synchronousCommit: string | undefined;
  readonly synchronousStandbyNames: string | undefined;
}

/** As they are for this session: a role, a database or the URL may have others than the server. */
export async function readCommitSettings(sql: Sql): Promise<CommitSettings> {
  const row = await sql.get<Record<'fsync' | 'commit' | 'names', string | null>>(
    `select current_setting('fsync', true) as fsync, current_setting('synchronous_commit', true) as commit,
      current_setting('synchronous_standby_names', true) as names`,
  );
  return {
    fsync: row?.fsync ?? undefined,
    synchronousCommit: row?.commit ?? undefined,
    synchronousStandbyNames: row?.names ?? undefined,
  };
}
