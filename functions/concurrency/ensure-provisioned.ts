import type { Sql } from '#platform/database/database.ts';
import type { State } from '#functions-contract/state-codes.ts';

import type { FunctionReference } from '../model/function-name.ts';
import { findVersionSpec } from '../invocation/invocation-store.ts';
import { findTarget } from '../invocation/targets.ts';
import type { FunctionVersion } from '../configuration/function-record.ts';
import { findFunction } from '../configuration/function-store.ts';
import { throwIfFault, throwIfTemporaryFault } from '../environments/start-failure.ts';
import type { VersionSpec } from '../environments/version-spec.ts';
import type { EnvironmentPool } from '../environments/pool/environment-pool.ts';
import type { SystemPorts } from '../ports/system-ports.ts';
import {
  type Provisioned,
  findProvisioned,
  listProvisionedFunctions,
  makeWaiting,
  type ProvisionedFunction,
  listWaiting,
  finishProvisioned,
} from './concurrency-store.ts';

/** What provisioned concurrency needs. */
export interface ProvisionedPorts extends Pick<SystemPorts, 'database' | 'background' | 'homes'> {
  readonly environments: EnvironmentPool;
}

/** Starts the provisioned environments of a version or alias in the background, and releases surplus ones. */
export function ensureProvisionedLater(
  ports: ProvisionedPorts,
  name: string,
  qualifier: string,
): void {
  ports.background.run(`ready environments of ${name}:${qualifier}`, () =>
    ensureProvisioned(ports, { name, qualifier }),
  );
}

/** Starts all provisioned concurrency of which this server is the home. */
export async function resumeReady(ports: ProvisionedPorts): Promise<number> {
  const all = await ports.database.read((sql) => listProvisionedFunctions(sql));
  return ensureAllProvisionedLater(ports, all);
}

/** Starts what has been requested of another server, and releases what no longer is. */
export async function resumeWaiting(ports: ProvisionedPorts): Promise<void> {
  const { database, environments, homes } = ports;
  const waiting = await database.read((sql) => listProvisionedFunctions(sql, 'IN_PROGRESS'));
  const names = new Set(waiting.map(({ name }) => name).filter((name) => homes.isHome(name)));
  if (names.size === 0) return;
  const versionIds = await database.read((sql) => provisionedVersions(sql, names));
  for (const name of names) environments.releaseProvisioned(name, versionIds);
  // Read after the release: what was requested meanwhile is started again.
  const all = await database.read((sql) => listProvisionedFunctions(sql));
  ensureAllProvisionedLater(
    ports,
    all.filter(({ name }) => names.has(name)),
  );
}

/** The versions of these functions that have provisioned concurrency, by their numbers or by aliases. */
async function provisionedVersions(
  sql: Sql,
  names: ReadonlySet<string>,
): Promise<ReadonlySet<number>> {
  const versionIds = new Set<number>();
  for (const each of await listProvisionedFunctions(sql)) {
    if (!names.has(each.name)) continue;
    const target = await findTarget(sql, each);
    if (target) versionIds.add(target.usual.versionId);
  }
  return versionIds;
}

function ensureAllProvisionedLater(
  ports: ProvisionedPorts,
  all: readonly ProvisionedFunction[],
): number {
  const own = all.filter(({ name }) => ports.homes.isHome(name));
  for (const { name, qualifier } of own) ensureProvisionedLater(ports, name, qualifier);
  return own.length;
}

/** Continues provisioned concurrency that waited for a version to be provisioned. */
export async function resumeWaitingProvisionedConcurrency(
  ports: ProvisionedPorts,
  { functionId, name }: Pick<FunctionVersion, 'functionId' | 'name'>,
): Promise<void> {
  const waiting = await ports.database.read((sql) => listWaiting(sql, functionId));
  for (const qualifier of waiting) ensureProvisionedLater(ports, name, qualifier);
}

async function ensureProvisioned(
  { database, environments, homes }: ProvisionedPorts,
  reference: FunctionReference,
): Promise<void> {
  if (!homes.isHome(reference.name)) {
    // The home looks for those.
    await database.write((sql) => makeWaiting(sql, reference));
    return;
  }
  const { target, provisioned } = await database.read(async (sql) => ({
    target: await findReadyTarget(sql, reference),
    provisioned: await findProvisionedNamed(sql, reference),
  }));
  if (target?.state === 'Pending') return;
  const count = provisioned?.requested ?? 0;
  const failure = target?.spec && (await environments.ensureProvisioned(target.spec, count));
  throwIfTemporaryFault(failure);
  // A version that failed cannot have provisioned concurrency.
  const failed = !target?.spec || failure !== undefined;
  if (!provisioned) return;
  await database.write((sql) =>
    finishProvisioned(sql, provisioned, {
      available: failed ? 0 : provisioned.requested,
      status: failed ? 'FAILED' : 'READY',
      statusReason: failed ? 'FUNCTION_ERROR_INIT_FAILURE' : undefined,
    }),
  );
  throwIfFault(failure);
}

async function findProvisionedNamed(
  sql: Sql,
  { name, qualifier = '' }: FunctionReference,
): Promise<Provisioned | undefined> {
  const found = await findFunction(sql, name);
  return found && findProvisioned(sql, found.id, qualifier);
}

interface ReadyTarget {
  readonly state: State;
  /** The spec of its environments; undefined while it was never provisioned. */
  readonly spec: VersionSpec | undefined;
}

async function findReadyTarget(
  sql: Sql,
  reference: FunctionReference,
): Promise<ReadyTarget | undefined> {
  const target = await findTarget(sql, reference);
  if (!target) return undefined;
  const { state, versionId, activeId } = target.usual;
  const spec = activeId === undefined ? undefined : await findVersionSpec(sql, versionId, activeId);
  return { state, spec };
}
