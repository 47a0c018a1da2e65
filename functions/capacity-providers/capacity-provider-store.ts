import type { Sql } from '#platform/database/database.ts';
import type { State } from '#functions-contract/state-codes.ts';

import { versionName } from '../configuration/function-record.ts';

/** A version that runs on a capacity provider. */
export interface ProvidedVersion {
  readonly id: number;
  readonly functionName: string;
  readonly version: string;
  readonly state: State;
}

interface ProvidedRow {
  id: number;
  name: string;
  number: number;
  state: State;
}

/** In the order in which they were made. */
export async function listProvidedVersions(
  sql: Sql,
  arn: string,
  after: number,
  limit: number,
): Promise<ProvidedVersion[]> {
  const rows = await sql.all<ProvidedRow>(
    `select v.id, f.name, v.number, v.state from function_versions v
      join functions f on f.id = v.function_id
      join function_configurations c on c.id = v.configuration_id
      where v.id > $2 and c.settings like $1 escape '\\' order by v.id limit $3`,
    `%"CapacityProviderArn":"${arn.replaceAll(/[\\%_]/g, String.raw`\$&`)}"%`,
    after,
    limit,
  );
  return rows.map((row) => ({
    id: row.id,
    functionName: row.name,
    version: versionName(row.number),
    state: row.state,
  }));
}
