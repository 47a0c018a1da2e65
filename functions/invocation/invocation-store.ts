import type { Sql } from '#platform/database/database.ts';
import type { State } from '#functions-contract/state-codes.ts';

import { readConfiguration } from '../configuration/configuration.ts';
import { versionName } from '../configuration/function-record.ts';
import { storedVariables } from '../configuration/variables-store.ts';
import { versionSpecOf, type VersionSpec } from '../environments/version-spec.ts';
import { functionHashOf, type ChainMember, type RecursiveLoop } from '../recursion/lineage.ts';

/** What an invocation needs to know about a version before it runs; small, since it is read every time. */
export interface Invocable extends ChainMember {
  readonly functionId: number;
  readonly versionId: number;
  /** `$LATEST` or a number. */
  readonly version: string;
  readonly state: State;
  /** The configuration that invocations use; undefined until the function was provisioned. */
  readonly activeConfigurationId: number | undefined;
  readonly reservedConcurrency: number | undefined;
  /** Of all functions together. */
  readonly reservedInAll: number;
  /** Provisioned concurrency of this version, and of all versions, if the function has reserved concurrency. */
  readonly provisioned: number;
  readonly provisionedInAll: number;
}

interface InvocableRow {
  name: string;
  recursion_loop: RecursiveLoop;
  function_id: number;
  version_id: number;
  number: number;
  state: State;
  serving_id: number | null;
  reserved_concurrency: number | null;
  reserved_in_all: number | null;
  provisioned: number | null;
  provisioned_in_all: number | null;
}

// The condition lets the database scan only the few functions with reserved concurrency.
const selectInvocable = `select f.name, f.recursion_loop, f.id as function_id, v.id as version_id, v.number, v.state, v.serving_id,
  f.reserved_concurrency, (select sum(reserved_concurrency) from functions where reserved_concurrency is not null)
    as reserved_in_all,
  case when f.reserved_concurrency is not null then
    (select sum(requested) from function_provisioned p where p.function_id = f.id) end as provisioned_in_all,
  case when f.reserved_concurrency is not null then
    (select sum(requested) from function_provisioned p where p.function_id = f.id
      and (p.qualifier = cast(v.number as text) or p.qualifier in
        (select a.name from function_aliases a where a.function_id = f.id and a.number = v.number))) end as provisioned
  from functions f join function_versions v on v.function_id = f.id`;

/** A version by its number; 0 is $LATEST. */
export async function findInvocable(
  sql: Sql,
  name: string,
  number: number,
): Promise<Invocable | undefined> {
  const row = await sql.get<InvocableRow>(
    `${selectInvocable} where f.name = $1 and v.number = $2`,
    name,
    number,
  );
  return row && invocableOf(row);
}

/** The configuration that a version serves with, as environments are started for it. */
export async function findVersionSpec(
  sql: Sql,
  versionId: number,
  configurationId: number,
): Promise<VersionSpec | undefined> {
  const row = await sql.get<{
    name: string;
    function_id: number;
    number: number;
    settings: string;
    sealed_variables: string | null;
  }>(
    `select f.name, f.id as function_id, v.number, c.settings, c.sealed_variables
      from function_versions v
      join functions f on f.id = v.function_id
      join function_configurations c on c.id = $2
      where v.id = $1`,
    versionId,
    configurationId,
  );
  return (
    row &&
    versionSpecOf({
      id: versionId,
      functionId: row.function_id,
      configurationId,
      name: row.name,
      version: versionName(row.number),
      configuration: readConfiguration(row.settings),
      sealedVariables:
        row.sealed_variables === null ? undefined : storedVariables(row.sealed_variables),
    })
  );
}

function invocableOf(row: InvocableRow): Invocable {
  return {
    functionHash: functionHashOf(row.name, row.function_id),
    recursiveLoop: row.recursion_loop,
    functionId: row.function_id,
    versionId: row.version_id,
    version: versionName(row.number),
    state: row.state,
    activeConfigurationId: row.serving_id ?? undefined,
    reservedConcurrency: row.reserved_concurrency ?? undefined,
    reservedInAll: row.reserved_in_all ?? 0,
    provisioned: row.provisioned ?? 0,
    provisionedInAll: row.provisioned_in_all ?? 0,
  };
}
