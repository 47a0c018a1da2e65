import type { Sql } from '#platform/database/database.ts';
import type { FailureReasonCode, State } from '#functions-contract/state-codes.ts';

import type { FunctionReference } from '../model/function-name.ts';
import { findVersionSpec } from '../invocation/invocation-store.ts';
import { findTarget } from '../invocation/targets.ts';
import { type FunctionVersion, readVersionName } from '../configuration/function-record.ts';
import { throwIfFault, throwIfTemporaryFault } from '../environments/start-failure.ts';
import type { VersionSpec } from '../environments/version-spec.ts';
import type { EnvironmentPool } from '../environments/pool/environment-pool.ts';
import type { SystemPorts } from '../ports/system-ports.ts';
import {
  type ProvisionedShare,
  listProvisionedShares,
  listProvisionedFunctions,
  makeWaiting,
  type ProvisionedFunction,
  listWaiting,
  finishProvisioned,
} from './concurrency-store.ts';
import { findMissingCapacity, type ProvisionedCapacity } from './provisioned-capacity.ts';

/** What provisioned concurrency needs. */
export interface ProvisionedPorts
  extends Pick<SystemPorts, 'database' | 'background' | 'homes'>, ProvisionedCapacity {
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
  ports: ProvisionedPorts,
  reference: FunctionReference,
): Promise<void> {
  const { database, environments, homes } = ports;
  if (!homes.isHome(reference.name)) {
    // The home looks for those.
    await database.write((sql) => makeWaiting(sql, reference));
    return;
  }
  const named = await database.read((sql) => findTarget(sql, reference));
  if (!named) return;
  const version = { name: reference.name, qualifier: named.usual.version };
  for (let before: ReadyTarget | undefined; ;) {
    const target = await database.read((sql) => findReadyTarget(sql, ports, version));
    // Deleted after it was read, and so after its environments were closed.
    if (before && before.versionId !== target?.versionId) environments.drain(before.versionId);
    if (!target || target.state === 'Pending') return;
    // Read again, as others may have read and provided meanwhile: the last one to provide has what is stored.
    if (before?.versionId === target.versionId && before.count === target.count) return;
    await provide(ports, target);
    before = target;
  }
}

async function provide(
  { database, environments }: ProvisionedPorts,
  { spec, count, provisioned }: ReadyTarget,
): Promise<void> {
  const failure = spec && (await environments.ensureProvisioned(spec, count));
  throwIfTemporaryFault(failure);
  // A version that failed cannot have provisioned concurrency.
  const reason = !spec || failure ? 'FUNCTION_ERROR_INIT_FAILURE' : undefined;
  await database.write(async (sql) => {
    for (const { missing, ...each } of provisioned) {
      const statusReason = missing ?? reason;
      await finishProvisioned(sql, each, {
        available: statusReason === undefined ? each.requested : 0,
        status: statusReason === undefined ? 'READY' : 'FAILED',
        statusReason,
      });
    }
  });
  throwIfFault(failure);
}

interface ReadyTarget {
  readonly versionId: number;
  readonly state: State;
  /** The spec of its environments; undefined while it was never provisioned. */
  readonly spec: VersionSpec | undefined;
  /** All that is provisioned for the version, and why there is no capacity for it. */
  readonly provisioned: readonly (ProvisionedShare & {
    readonly missing: FailureReasonCode | undefined;
  })[];
  /** Environments of all that has capacity: its number and several aliases may have some each. */
  readonly count: number;
}

async function findReadyTarget(
  sql: Sql,
  capacity: ProvisionedCapacity,
  reference: FunctionReference,
): Promise<ReadyTarget | undefined> {
  const target = await findTarget(sql, reference);
  if (!target) return undefined;
  const { state, functionId, versionId, activeConfigurationId, version } = target.usual;
  const spec =
    activeConfigurationId === undefined
      ? undefined
      : await findVersionSpec(sql, versionId, activeConfigurationId);
  const shares = await listProvisionedShares(sql);
  const missing = findMissingCapacity(capacity, shares);
  const number = readVersionName(version);
  const provisioned = shares
    .filter((share) => share.functionId === functionId && share.number === number)
    .map((share) => ({ ...share, missing: spec && missing.get(share) }));
  const started = provisioned.filter((each) => each.missing === undefined);
  const count = started.reduce((sum, { requested }) => sum + requested, 0);
  return { versionId, state, spec, provisioned, count };
}
