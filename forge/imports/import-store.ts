import type { Sql } from '#platform/database/database.ts';

/** The import of a repository, the last one if there were several. */
export interface RepositoryImport {
  readonly accountId: number;
  readonly url: string;
  readonly state: 'importing' | 'complete' | 'failed';
  /** Why it failed, or what was left out. */
  readonly message: string | null;
  readonly receivedBytes: number;
  /** Milliseconds since the epoch. */
  readonly updatedAt: number;
}

interface ImportRow {
  account_id: number;
  url: string;
  state: RepositoryImport['state'];
  message: string | null;
  received_bytes: number;
  updated_at: number;
}

export async function findImport(
  sql: Sql,
  repositoryId: number,
): Promise<RepositoryImport | undefined> {
  const row = await sql.get<ImportRow>(
    `select account_id, url, state, message, received_bytes, updated_at from repository_imports where repository_id = $1`,
    repositoryId,
  );
  return (
    row && {
      accountId: row.account_id,
      url: row.url,
      state: row.state,
      message: row.message,
      receivedBytes: row.received_bytes,
      updatedAt: row.updated_at,
    }
  );
}

/** Begins an import unless one is under way that has reported since a time. Returns whether it did. */
export async function beginImport(
  sql: Sql,
  started: { readonly repositoryId: number; readonly accountId: number; readonly url: string },
  { now, heardSince }: { readonly now: number; readonly heardSince: number },
): Promise<boolean> {
  const row = await sql.get<{ repository_id: number }>(
    `insert into repository_imports (repository_id, account_id, url, state, updated_at) values ($1, $2, $3, 'importing', $4)
     on conflict (repository_id) do update set account_id = excluded.account_id, url = excluded.url, state = excluded.state,
       message = null, received_bytes = 0, updated_at = excluded.updated_at
       where repository_imports.state <> 'importing' or repository_imports.updated_at < $5
     returning repository_id`,
    started.repositoryId,
    started.accountId,
    started.url,
    now,
    heardSince,
  );
  return row !== undefined;
}

export async function noteProgress(
  sql: Sql,
  repositoryId: number,
  receivedBytes: number,
  now: number,
): Promise<void> {
  await sql.run(
    `update repository_imports set received_bytes = $2, updated_at = $3 where repository_id = $1 and state = 'importing'`,
    repositoryId,
    receivedBytes,
    now,
  );
}

export async function endImport(
  sql: Sql,
  repositoryId: number,
  end: {
    readonly state: 'complete' | 'failed';
    readonly message: string | null;
    readonly receivedBytes: number;
  },
  now: number,
): Promise<void> {
  await sql.run(
    `update repository_imports set state = $2, message = $3, received_bytes = $4, updated_at = $5 where repository_id = $1`,
    repositoryId,
    end.state,
    end.message,
    end.receivedBytes,
    now,
  );
}
