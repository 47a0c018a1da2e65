import type { Sql } from '#platform/database/database.ts';

import type { LastUpdateStatus, State, StateReasonCode } from '#functions-contract/state-codes.ts';

import { serviceSealed } from '../keys/key-ring.ts';
import { requireCurrentSeal } from '../keys/service-key-store.ts';
import { type Configuration, readConfiguration } from './configuration.ts';
import {
  latest,
  type FunctionVersion,
  type Reason,
  type StateWithReason,
} from './function-record.ts';
import { storedVariables, type SealedVariables } from './variables-store.ts';

interface VersionRow {
  id: number;
  function_id: number;
  name: string;
  number: number;
  configuration_id: number;
  serving_id: number | null;
  revision_id: string;
  last_modified: number;
  state: State;
  state_reason: string | null;
  state_reason_code: StateReasonCode | null;
  update_status: LastUpdateStatus | null;
  update_reason: string | null;
  update_reason_code: StateReasonCode | null;
  settings: string;
  sealed_variables: string | null;
}

const selectVersions = `select v.id, v.function_id, f.name, v.number, v.configuration_id, v.serving_id, v.revision_id,
  v.last_modified, v.state, v.state_reason, v.state_reason_code, v.update_status, v.update_reason, v.update_reason_code,
  c.settings, c.sealed_variables
  from function_versions v
  join functions f on f.id = v.function_id
  join function_configurations c on c.id = v.configuration_id`;

/** A version by its number; 0 is $LATEST. */
export async function findVersion(
  sql: Sql,
  name: string,
  number: number,
): Promise<FunctionVersion | undefined> {
  const row = await sql.get<VersionRow>(
    `${selectVersions} where f.name = $1 and v.number = $2`,
    name,
    number,
  );
  return row && versionOf(row);
}

export async function findVersionById(sql: Sql, id: number): Promise<FunctionVersion | undefined> {
  const row = await sql.get<VersionRow>(`${selectVersions} where v.id = $1`, id);
  return row && versionOf(row);
}

/** Versions that wait to be provisioned. */
export async function listUnfinishedVersions(sql: Sql): Promise<{ id: number; name: string }[]> {
  return sql.all(
    `select v.id, f.name from function_versions v join functions f on f.id = v.function_id
      where v.state = 'Pending' or v.update_status = 'InProgress' order by v.id`,
  );
}

/** The versions of a function from a number on; $LATEST first. */
export async function listVersions(
  sql: Sql,
  functionId: number,
  after: number,
  limit: number,
): Promise<FunctionVersion[]> {
  const rows = await sql.all<VersionRow>(
    `${selectVersions} where v.function_id = $1 and v.number > $2 order by v.number limit $3`,
    functionId,
    after,
    limit,
  );
  return rows.map(versionOf);
}

/** Functions, or all their versions, by name and number. */
export async function listFunctions(
  sql: Sql,
  after: { readonly name: string; readonly number: number },
  all: boolean,
  limit: number,
): Promise<FunctionVersion[]> {
  const rows = await sql.all<VersionRow>(
    `${selectVersions} where ${all ? '(f.name > $1 or (f.name = $1 and v.number > $2))' : 'f.name > $1 and v.number = $2'}
      order by f.name, v.number limit $3`,
    after.name,
    all ? after.number : 0,
    limit,
  );
  return rows.map(versionOf);
}

export interface NewFunction {
  readonly name: string;
  readonly tags: Readonly<Record<string, string>>;
  readonly createdAt: number;
  /** Row of its code signing configuration. */
  readonly codeSigningConfigId: number | undefined;
}

/** Undefined when there is one of that name. */
export async function insertFunction(sql: Sql, given: NewFunction): Promise<number | undefined> {
  const row = await sql.get<{ id: number }>(
    `insert into functions (name, tags, created_at, code_signing_config_id) values ($1, $2, $3, $4)
      on conflict (name) do nothing returning id`,
    given.name,
    JSON.stringify(given.tags),
    given.createdAt,
    given.codeSigningConfigId ?? null,
  );
  return row?.id;
}

export async function insertConfiguration(
  sql: Sql,
  functionId: number,
  configuration: Configuration,
  variables: SealedVariables | undefined,
): Promise<number> {
  const text = variables && serviceSealed(variables);
  if (text !== undefined) await requireCurrentSeal(sql, text);
  const row = await sql.get<{ id: number }>(
    `insert into function_configurations (function_id, settings, sealed_variables, code_sha256, code_size, snap_start)
      values ($1, $2, $3, $4, $5, $6) returning id`,
    functionId,
    JSON.stringify(configuration),
    variables ?? null,
    configuration.Code.sha256,
    configuration.Code.size,
    configuration.SnapStart.ApplyOn === 'PublishedVersions' ? 1 : 0,
  );
  if (!row) throw new Error('An insert returned no row.');
  return row.id;
}

export interface VersionState {
  readonly configurationId: number;
  readonly activeConfigurationId: number | undefined;
  readonly revisionId: string;
  readonly lastModified: number;
  readonly state: StateWithReason<State>;
  readonly lastUpdate: StateWithReason<LastUpdateStatus> | undefined;
}

export async function insertVersion(
  sql: Sql,
  functionId: number,
  number: number,
  state: VersionState,
): Promise<number> {
  const row = await sql.get<{ id: number }>(
    `insert into function_versions (function_id, number, configuration_id, serving_id, revision_id, last_modified,
        state, state_reason, state_reason_code, update_status, update_reason, update_reason_code)
      values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12) returning id`,
    functionId,
    number,
    ...stateValues(state),
  );
  if (!row) throw new Error('An insert returned no row.');
  return row.id;
}

/** Compare-and-swap by `revisionId`: changes the states of a version; false, and nothing changed, if it is no longer at that revision. */
export async function compareAndReplaceVersionState(
  sql: Sql,
  id: number,
  revisionId: string,
  state: VersionState,
): Promise<boolean> {
  const changed = await sql.run(
    `update function_versions set configuration_id = $3, serving_id = $4, revision_id = $5, last_modified = $6,
        state = $7, state_reason = $8, state_reason_code = $9,
        update_status = $10, update_reason = $11, update_reason_code = $12
      where id = $1 and revision_id = $2`,
    id,
    revisionId,
    ...stateValues(state),
  );
  return changed === 1;
}

/** Gives a version another revision id, and changes nothing else. */
export async function reviseVersion(sql: Sql, id: number, revisionId: string): Promise<void> {
  await sql.run('update function_versions set revision_id = $2 where id = $1', id, revisionId);
}

/** Allocates the number of a version about to be published. */
export async function takeVersionNumber(sql: Sql, functionId: number): Promise<number> {
  const row = await sql.get<{ last_version: number }>(
    'update functions set last_version = last_version + 1 where id = $1 returning last_version',
    functionId,
  );
  if (!row) throw new Error('Function not found.');
  return row.last_version;
}

export async function deleteFunction(sql: Sql, functionId: number): Promise<void> {
  await sql.run('delete from function_versions where function_id = $1', functionId);
  await sql.run('delete from functions where id = $1', functionId);
}

export async function listVersionIds(sql: Sql, functionId: number): Promise<number[]> {
  const rows = await sql.all<{ id: number }>(
    'select id from function_versions where function_id = $1',
    functionId,
  );
  return rows.map(({ id }) => id);
}

/** A published version: the unpublished one goes with its function. */
export async function deleteVersion(sql: Sql, functionId: number, number: number): Promise<void> {
  await sql.run(
    'delete from function_versions where function_id = $1 and number = $2 and number > 0',
    functionId,
    number,
  );
}

export interface FunctionFacts {
  readonly id: number;
  readonly tags: Readonly<Record<string, string>>;
  readonly reservedConcurrency: number | undefined;
}

/** What belongs to a function and to no version of it. */
export async function findFunction(sql: Sql, name: string): Promise<FunctionFacts | undefined> {
  const row = await sql.get<{ id: number; tags: string; reserved_concurrency: number | null }>(
    'select id, tags, reserved_concurrency from functions where name = $1',
    name,
  );
  return (
    row && {
      id: row.id,
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- written by this file
      tags: JSON.parse(row.tags) as Readonly<Record<string, string>>,
      reservedConcurrency: row.reserved_concurrency ?? undefined,
    }
  );
}

function versionOf(row: VersionRow): FunctionVersion {
  return {
    id: row.id,
    functionId: row.function_id,
    name: row.name,
    version: row.number === 0 ? latest : String(row.number),
    desired: {
      id: row.configuration_id,
      configuration: readConfiguration(row.settings),
      sealedVariables:
        row.sealed_variables === null ? undefined : storedVariables(row.sealed_variables),
    },
    // The configuration that serves: the column is older than the word "active" for it.
    activeConfigurationId: row.serving_id ?? undefined,
    revisionId: row.revision_id,
    lastModified: row.last_modified,
    state: stateWithReason(row.state, row.state_reason_code, row.state_reason),
    lastUpdate:
      row.update_status === null
        ? undefined
        : stateWithReason(row.update_status, row.update_reason_code, row.update_reason),
  };
}

function stateWithReason<Value extends string>(
  value: Value,
  code: StateReasonCode | null,
  text: string | null,
): StateWithReason<Value> {
  return code === null ? { value } : { value, reason: { code, text: text ?? '' } };
}

function stateValues(state: VersionState): (string | number | null)[] {
  return [
    state.configurationId,
    state.activeConfigurationId ?? null,
    state.revisionId,
    state.lastModified,
    state.state.value,
    ...reasonValues(state.state.reason),
    state.lastUpdate?.value ?? null,
    ...reasonValues(state.lastUpdate?.reason),
  ];
}

function reasonValues(reason: Reason | undefined): (string | null)[] {
  return [reason?.text ?? null, reason?.code ?? null];
}
