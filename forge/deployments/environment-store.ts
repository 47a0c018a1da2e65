import type { Sql } from '#platform/database/database.ts';
import { type PageBounds, selectPage } from '#platform/database/page-store.ts';

import type { RepositoryWrite } from '../events/invalidate.ts';
import type { Environment } from '../model/deployment.ts';

/** By name. */
export async function listEnvironments(
  sql: Sql,
  repositoryId: number,
  page: PageBounds,
): Promise<{ environments: Environment[]; total: number }> {
  const list = {
    columns: environmentColumns,
    from: `environments e where e.repository_id = $1`,
    values: [repositoryId],
    order: 'e.name',
  };
  const { rows, total } = await selectPage<EnvironmentRow>(sql, list, page);
  return { environments: rows.map(environmentFromRow), total };
}

export async function findEnvironment(
  sql: Sql,
  repositoryId: number,
  name: string,
): Promise<Environment | undefined> {
  const row = await sql.get<EnvironmentRow>(
    `select ${environmentColumns} from environments e where e.repository_id = $1 and e.name = $2`,
    repositoryId,
    name,
  );
  return row && environmentFromRow(row);
}

interface EnvironmentRow {
  id: number;
  name: string;
  created_at: number;
  updated_at: number;
}

const environmentColumns = 'e.id, e.name, e.created_at, e.updated_at';

/** Adds an environment that does not exist yet. */
export async function putEnvironment(
  sql: RepositoryWrite,
  repositoryId: number,
  name: string,
  now: number,
): Promise<void> {
  await sql.run(
    `insert into environments (repository_id, name, created_at, updated_at) values ($1, $2, $3, $3)
     on conflict (repository_id, name) do nothing`,
    repositoryId,
    name,
    now,
  );
}

function environmentFromRow(row: EnvironmentRow): Environment {
  return {
    id: row.id,
    name: row.name,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}
