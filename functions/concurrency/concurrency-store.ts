import type { Sql } from '#platform/database/database.ts';

import { readConfiguration } from '../configuration/configuration.ts';
import type { FunctionReference } from '../model/function-name.ts';

/** Undefined: none is reserved any more. */
export async function replaceReservation(
  sql: Sql,
  functionId: number,
  reserved: number | undefined,
): Promise<void> {
  await sql.run(
    'update functions set reserved_concurrency = $2 where id = $1',
    functionId,
    reserved ?? null,
  );
}

/** What all other functions take from the account: their reservations, and what those without one provision. */
export async function concurrencyOfOthers(sql: Sql, functionId: number): Promise<number> {
  const row = await sql.get<{ reserved: number | null; provisioned: number | null }>(
    `select
      (select sum(reserved_concurrency) from functions where id <> $1) as reserved,
      (select sum(p.requested) from function_provisioned p join functions f on f.id = p.function_id
        where f.id <> $1 and f.reserved_concurrency is null) as provisioned`,
    functionId,
  );
  return (row?.reserved ?? 0) + (row?.provisioned ?? 0);
}

interface AccountUsage {
  readonly functions: number;
  readonly reserved: number;
}

export async function readAccountUsage(sql: Sql): Promise<AccountUsage> {
  const row = await sql.get<{ functions: number; reserved: number | null }>(
    'select count(*) as functions, sum(reserved_concurrency) as reserved from functions',
  );
  return { functions: row?.functions ?? 0, reserved: row?.reserved ?? 0 };
}

interface ProvisionedRow {
  id: number;
  qualifier: string;
  requested: number;
  available: number;
  status: ProvisionedStatus;
  status_reason: string | null;
  last_modified: number;
}

const selectProvisioned =
  'select id, qualifier, requested, available, status, status_reason, last_modified from function_provisioned';

export async function findProvisioned(
  sql: Sql,
  functionId: number,
  qualifier: string,
): Promise<Provisioned | undefined> {
  const row = await sql.get<ProvisionedRow>(
    `${selectProvisioned} where function_id = $1 and qualifier = $2`,
    functionId,
    qualifier,
  );
  return row && provisionedRowOf(row);
}

export async function listProvisioned(
  sql: Sql,
  functionId: number,
  after: string,
  limit: number,
): Promise<Provisioned[]> {
  const rows = await sql.all<ProvisionedRow>(
    `${selectProvisioned} where function_id = $1 and qualifier > $2 order by qualifier limit $3`,
    functionId,
    after,
    limit,
  );
  return rows.map(provisionedRowOf);
}

export interface ProvisionedFunction {
  readonly name: string;
  readonly qualifier: string;
}

/** All provisioned concurrency, or that in a state. */
export async function listProvisionedFunctions(
  sql: Sql,
  status?: ProvisionedStatus,
): Promise<readonly ProvisionedFunction[]> {
  return sql.all(
    `select f.name, p.qualifier from function_provisioned p join functions f on f.id = p.function_id
      where $1 = '' or p.status = $1 order by p.id`,
    status ?? '',
  );
}

interface ShareRow {
  id: number;
  function_id: number;
  qualifier: string;
  requested: number;
  last_modified: number;
  number: number | null;
  reserved_concurrency: number | null;
  settings: string | null;
}

/** All that is provisioned, what was requested first before the rest. */
export async function listProvisionedShares(sql: Sql): Promise<ProvisionedShare[]> {
  // Only the settings that name a capacity provider are read.
  const rows = await sql.all<ShareRow>(
    `select p.id, p.function_id, p.qualifier, p.requested, p.last_modified, v.number, f.reserved_concurrency,
        case when c.settings like '%"CapacityProviderArn":%' then c.settings end as settings
      from function_provisioned p
      join functions f on f.id = p.function_id
      left join function_aliases a on a.function_id = p.function_id and a.name = p.qualifier
      left join function_versions v on v.function_id = p.function_id
        and (v.number = a.number or cast(v.number as text) = p.qualifier)
      left join function_configurations c on c.id = v.serving_id
      order by p.id`,
  );
  return rows.map((row) => ({
    id: row.id,
    functionId: row.function_id,
    qualifier: row.qualifier,
    requested: row.requested,
    lastModified: row.last_modified,
    number: row.number ?? undefined,
    isReserved: row.reserved_concurrency !== null,
    capacityProvider: row.settings === null ? undefined : capacityProviderOf(row.settings),
  }));
}

function capacityProviderOf(settings: string): string | undefined {
  const { CapacityProviderConfig } = readConfiguration(settings);
  return CapacityProviderConfig?.LambdaManagedInstancesCapacityProviderConfig.CapacityProviderArn;
}

/** Has the environments started anew. */
export async function makeWaiting(
  sql: Sql,
  { name, qualifier = '' }: FunctionReference,
): Promise<void> {
  await sql.run(
    `update function_provisioned set status = 'IN_PROGRESS'
      where qualifier = $2 and function_id in (select id from functions where name = $1)`,
    name,
    qualifier,
  );
}

/** Qualifiers of a function whose environments are not started yet. */
export async function listWaiting(sql: Sql, functionId: number): Promise<string[]> {
  const rows = await sql.all<{ qualifier: string }>(
    "select qualifier from function_provisioned where function_id = $1 and status = 'IN_PROGRESS'",
    functionId,
  );
  return rows.map(({ qualifier }) => qualifier);
}

/** The total provisioned concurrency of a function. */
export async function provisionedOf(sql: Sql, functionId: number): Promise<number> {
  const row = await sql.get<{ requested: number | null }>(
    'select sum(requested) as requested from function_provisioned where function_id = $1',
    functionId,
  );
  return row?.requested ?? 0;
}

/** Replaces an earlier request. */
export async function putProvisioned(
  sql: Sql,
  functionId: number,
  qualifier: string,
  requested: number,
  now: number,
): Promise<void> {
  await sql.run(
    `insert into function_provisioned (function_id, qualifier, requested, available, status, last_modified)
      values ($1, $2, $3, 0, 'IN_PROGRESS', $4)
      on conflict (function_id, qualifier) do update set requested = excluded.requested, available = 0,
        status = excluded.status, status_reason = null, last_modified = excluded.last_modified`,
    functionId,
    qualifier,
    requested,
    now,
  );
}

/** Stores the outcome of the start, unless there was another request meanwhile. */
export async function finishProvisioned(
  sql: Sql,
  { id, requested, lastModified }: Pick<Provisioned, 'id' | 'requested' | 'lastModified'>,
  outcome: Pick<Provisioned, 'available' | 'status' | 'statusReason'>,
): Promise<void> {
  await sql.run(
    `update function_provisioned set available = $4, status = $5, status_reason = $6
      where id = $1 and requested = $2 and last_modified = $3`,
    id,
    requested,
    lastModified,
    outcome.available,
    outcome.status,
    outcome.statusReason ?? null,
  );
}

export async function deleteProvisioned(
  sql: Sql,
  functionId: number,
  qualifier: string,
): Promise<void> {
  await sql.run(
    'delete from function_provisioned where function_id = $1 and qualifier = $2',
    functionId,
    qualifier,
  );
}

function provisionedRowOf(row: ProvisionedRow): Provisioned {
  return {
    id: row.id,
    qualifier: row.qualifier,
    requested: row.requested,
    available: row.available,
    status: row.status,
    statusReason: row.status_reason ?? undefined,
    lastModified: row.last_modified,
  };
}

/** Provisioned concurrency of a version or alias. */
export interface Provisioned {
  readonly id: number;
  /** Number of a version or name of an alias. */
  readonly qualifier: string;
  readonly requested: number;
  /** Started and ready. */
  readonly available: number;
  readonly status: ProvisionedStatus;
  readonly statusReason: string | undefined;
  /** Epoch milliseconds. */
  readonly lastModified: number;
}

/** Provisioned concurrency as it counts against limits. */
export interface ProvisionedShare extends Pick<
  Provisioned,
  'id' | 'qualifier' | 'requested' | 'lastModified'
> {
  readonly functionId: number;
  /** Number of the version that it is of, or that most invocations of the alias lead to. */
  readonly number: number | undefined;
  /** Whether its function has a reservation, which it is a part of. */
  readonly isReserved: boolean;
  /** ARN of the one that the version runs on; undefined: on the host itself. */
  readonly capacityProvider: string | undefined;
}

type ProvisionedStatus = 'IN_PROGRESS' | 'READY' | 'FAILED';
