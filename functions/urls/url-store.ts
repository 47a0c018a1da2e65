import type { Sql } from '#platform/database/database.ts';

import type { AuthType, Cors, FunctionUrl, InvokeMode } from './function-url.ts';

interface UrlRow {
  function_id: number;
  name: string;
  qualifier: string;
  url_id: string;
  auth_type: AuthType;
  cors: string | null;
  invoke_mode: InvokeMode | null;
  created_at: number;
  modified_at: number;
}

const selectUrls = `select u.function_id, f.name, u.qualifier, u.url_id, u.auth_type, u.cors, u.invoke_mode,
  u.created_at, u.modified_at from function_urls u join functions f on f.id = u.function_id`;

export async function findUrl(
  sql: Sql,
  functionName: string,
  alias: string | undefined,
): Promise<FunctionUrl | undefined> {
  const row = await sql.get<UrlRow>(
    `${selectUrls} where f.name = $1 and u.qualifier = $2`,
    functionName,
    alias ?? '',
  );
  return row && urlOf(row);
}

/** The target of a request. */
export async function findUrlById(sql: Sql, urlId: string): Promise<FunctionUrl | undefined> {
  const row = await sql.get<UrlRow>(`${selectUrls} where u.url_id = $1`, urlId);
  return row && urlOf(row);
}

export async function listUrls(
  sql: Sql,
  functionId: number,
  after: string | undefined,
  limit: number,
): Promise<FunctionUrl[]> {
  const rows = await sql.all<UrlRow>(
    `${selectUrls} where u.function_id = $1 and ($2 = 0 or u.qualifier > $3) order by u.qualifier limit $4`,
    functionId,
    after === undefined ? 0 : 1,
    after ?? '',
    limit,
  );
  return rows.map(urlOf);
}

/** False when there is one already. */
export async function insertUrl(
  sql: Sql,
  url: Omit<FunctionUrl, 'functionName'>,
): Promise<boolean> {
  const inserted = await sql.run(
    `insert into function_urls (function_id, qualifier, url_id, auth_type, cors, invoke_mode, created_at, modified_at)
      values ($1, $2, $3, $4, $5, $6, $7, $8) on conflict (function_id, qualifier) do nothing`,
    url.functionId,
    url.alias ?? '',
    url.urlId,
    url.authType,
    url.cors === undefined ? null : JSON.stringify(url.cors),
    url.invokeMode ?? null,
    url.createdAt,
    url.modifiedAt,
  );
  return inserted === 1;
}

export async function replaceUrl(sql: Sql, url: FunctionUrl): Promise<void> {
  await sql.run(
    'update function_urls set auth_type = $2, cors = $3, invoke_mode = $4, modified_at = $5 where url_id = $1',
    url.urlId,
    url.authType,
    url.cors === undefined ? null : JSON.stringify(url.cors),
    url.invokeMode ?? null,
    url.modifiedAt,
  );
}

/** Whether it was there. */
export async function deleteUrl(
  sql: Sql,
  functionId: number,
  alias: string | undefined,
): Promise<boolean> {
  const deleted = await sql.run(
    'delete from function_urls where function_id = $1 and qualifier = $2',
    functionId,
    alias ?? '',
  );
  return deleted === 1;
}

function urlOf(row: UrlRow): FunctionUrl {
  return {
    functionId: row.function_id,
    functionName: row.name,
    alias: row.qualifier === '' ? undefined : row.qualifier,
    urlId: row.url_id,
    authType: row.auth_type,
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- written by this file
    cors: row.cors === null ? undefined : (JSON.parse(row.cors) as Cors),
    invokeMode: row.invoke_mode ?? undefined,
    createdAt: row.created_at,
    modifiedAt: row.modified_at,
  };
}
