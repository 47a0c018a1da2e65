import type { Sql } from '#platform/database/database.ts';

import type { CodeSigningConfig } from './code-signing-config.ts';

interface ConfigRow {
  id: number;
  config_id: string;
  description: string;
  publishers: string;
  untrusted_artifacts: 'Warn' | 'Enforce';
  tags: string;
  last_modified: number;
}

const columns =
  'c.id, c.config_id, c.description, c.publishers, c.untrusted_artifacts, c.tags, c.last_modified';

export async function insertCodeSigningConfig(
  sql: Sql,
  config: Omit<CodeSigningConfig, 'id'>,
): Promise<void> {
  await sql.run(
    `insert into code_signing_configs (config_id, description, publishers, untrusted_artifacts, tags, last_modified)
      values ($1, $2, $3, $4, $5, $6)`,
    config.configId,
    config.description,
    JSON.stringify(config.publishers),
    config.untrustedArtifacts,
    JSON.stringify(config.tags),
    config.lastModified,
  );
}

/** Writes everything that can change of a configuration. */
export async function replaceCodeSigningConfig(sql: Sql, config: CodeSigningConfig): Promise<void> {
  await sql.run(
    `update code_signing_configs set description = $2, publishers = $3, untrusted_artifacts = $4, tags = $5, last_modified = $6
      where id = $1`,
    config.id,
    config.description,
    JSON.stringify(config.publishers),
    config.untrustedArtifacts,
    JSON.stringify(config.tags),
    config.lastModified,
  );
}

export async function findCodeSigningConfig(
  sql: Sql,
  configId: string,
): Promise<CodeSigningConfig | undefined> {
  const row = await sql.get<ConfigRow>(
    `select ${columns} from code_signing_configs c where c.config_id = $1`,
    configId,
  );
  return row && configOf(row);
}

export async function findCodeSigningConfigOfFunction(
  sql: Sql,
  functionId: number,
): Promise<CodeSigningConfig | undefined> {
  const row = await sql.get<ConfigRow>(
    `select ${columns} from functions f join code_signing_configs c on c.id = f.code_signing_config_id where f.id = $1`,
    functionId,
  );
  return row && configOf(row);
}

/** In the order in which they were created. */
export async function listConfigs(
  sql: Sql,
  after: number,
  limit: number,
): Promise<CodeSigningConfig[]> {
  const rows = await sql.all<ConfigRow>(
    `select ${columns} from code_signing_configs c where c.id > $1 order by c.id limit $2`,
    after,
    limit,
  );
  return rows.map(configOf);
}

/** Names of the functions that have it, in order. */
export async function listFunctionsOfConfig(
  sql: Sql,
  id: number,
  after: string,
  limit: number,
): Promise<string[]> {
  const rows = await sql.all<{ name: string }>(
    'select name from functions where code_signing_config_id = $1 and name > $2 order by name limit $3',
    id,
    after,
    limit,
  );
  return rows.map(({ name }) => name);
}

/** Undefined takes the configuration away. */
export async function setCodeSigningConfigOfFunction(
  sql: Sql,
  functionId: number,
  id: number | undefined,
): Promise<void> {
  await sql.run(
    'update functions set code_signing_config_id = $2 where id = $1',
    functionId,
    id ?? null,
  );
}

export async function removeCodeSigningConfig(sql: Sql, id: number): Promise<void> {
  await sql.run('delete from code_signing_configs where id = $1', id);
}

function configOf(row: ConfigRow): CodeSigningConfig {
  return {
    id: row.id,
    configId: row.config_id,
    description: row.description,
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- written by this file
    publishers: JSON.parse(row.publishers) as readonly string[],
    untrustedArtifacts: row.untrusted_artifacts,
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- written by this file
    tags: JSON.parse(row.tags) as Readonly<Record<string, string>>,
    lastModified: row.last_modified,
  };
}
