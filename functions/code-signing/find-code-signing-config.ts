import type { Sql } from '#platform/database/database.ts';

import type { Site } from '../model/function-name.ts';
import { configIdIn, noSuchConfig, type CodeSigningConfig } from './code-signing-config.ts';
import { findCodeSigningConfig } from './code-signing-store.ts';

/** The configuration that an ARN names, for operations on the configuration itself. */
export async function findConfigOrRefuse(
  sql: Sql,
  site: Site,
  arn: string,
): Promise<CodeSigningConfig> {
  const configId = configIdIn(site, arn);
  const config = configId === undefined ? undefined : await findCodeSigningConfig(sql, configId);
  if (!config) throw noSuchConfig(arn);
  return config;
}
