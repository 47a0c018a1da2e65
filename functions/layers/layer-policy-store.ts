import type { Sql } from '#platform/database/database.ts';

import type { LayerStatement } from './layer.ts';

export interface LayerPolicy {
  /** In the order in which they were added. */
  readonly statements: readonly LayerStatement[];
  readonly revision: string;
}

/** Undefined without a policy. */
export async function findLayerPolicy(
  sql: Sql,
  versionId: number,
): Promise<LayerPolicy | undefined> {
  const version = await sql.get<{ policy_revision: string | null }>(
    `select policy_revision from layer_versions where id = $1`,
    versionId,
  );
  if (!version || version.policy_revision === null) return undefined;
  const rows = await sql.all<{ statement_id: string; statement: string }>(
    `select statement_id, statement from layer_statements where layer_version_id = $1 order by id`,
    versionId,
  );
  return {
    statements: rows.map((row) => ({ id: row.statement_id, text: row.statement })),
    revision: version.policy_revision,
  };
}

/** Fails with a unique violation when the version has a statement of this id. */
export async function insertLayerStatement(
  sql: Sql,
  versionId: number,
  statement: LayerStatement,
  revision: string,
): Promise<void> {
  await sql.run(
    `insert into layer_statements (layer_version_id, statement_id, statement) values ($1, $2, $3)`,
    versionId,
    statement.id,
    statement.text,
  );
  await revise(sql, versionId, revision);
}

/** Whether it was there. With the last statement the policy goes. */
export async function deleteLayerStatement(
  sql: Sql,
  versionId: number,
  statementId: string,
  revision: string,
): Promise<boolean> {
  const deleted = await sql.run(
    `delete from layer_statements where layer_version_id = $1 and statement_id = $2`,
    versionId,
    statementId,
  );
  if (deleted === 0) return false;
  const left = await sql.get<{ count: number }>(
    `select count(*) as count from layer_statements where layer_version_id = $1`,
    versionId,
  );
  await revise(sql, versionId, left && left.count > 0 ? revision : null);
  return true;
}

async function revise(sql: Sql, versionId: number, revision: string | null): Promise<void> {
  await sql.run(
    `update layer_versions set policy_revision = $2 where id = $1`,
    versionId,
    revision,
  );
}
