import { setTimeout as delay } from 'node:timers/promises';

import { resumeWaitingProvisionedConcurrency } from '../concurrency/ensure-provisioned.ts';
import type { ProvisionedCapacity } from '../concurrency/provisioned-capacity.ts';
import { isRestoring, latest, type FunctionVersion } from '../configuration/function-record.ts';
import {
  findVersionById,
  listUnfinishedVersions,
  compareAndReplaceVersionState,
} from '../configuration/function-store.ts';
import { throwIfFault, throwIfTemporaryFault } from '../environments/start-failure.ts';
import {
  hasSnapshot,
  versionSpecOf,
  type StartFailure,
  type VersionSpec,
} from '../environments/version-spec.ts';
import type { EnvironmentPool } from '../environments/pool/environment-pool.ts';
import type { SystemPorts } from '../ports/system-ports.ts';
import { listSnapshotVersions } from './provisioning-store.ts';
import { activateVersion } from './activate.ts';

/** What provisioning versions needs. */
export interface ProvisioningPorts extends SystemPorts, ProvisionedCapacity {
  readonly environments: EnvironmentPool;
}

/** Provisions a created or updated version in the background, so that no response waits for it, if this server is its home. */
export function provisionLater(ports: ProvisioningPorts, versionId: number): void {
  ports.background.run(`function version ${versionId}`, () => provision(ports, versionId));
}

/** Prepares an environment before the first invocation of a version that is already known to start. */
export function prewarmLater(ports: ProvisioningPorts, version: FunctionVersion): void {
  ports.background.run(`function version ${version.id}`, async () => {
    if (!ports.homes.isHome(version.name)) return;
    throwIfFault(await ports.environments.prewarm(desiredSpec(version)));
  });
}

/** Resumes provisioning that a crash interrupted, or that another server has left to the home of the function. */
export async function resumeProvisioning(ports: ProvisioningPorts): Promise<number> {
  const all = await ports.database.read(listUnfinishedVersions);
  const unfinished = all.filter(({ name }) => ports.homes.isHome(name));
  for (const { id } of unfinished) provisionLater(ports, id);
  return unfinished.length;
}

/**
 * Resumes provisioning that a database failure interrupted: a commit that was reported as failed may have succeeded all the same.
 */
export function resumeProvisioningLater(ports: ProvisioningPorts): void {
  ports.background.run('interrupted provisioning', async () => {
    await resumeProvisioning(ports);
  });
}

/**
 * Starts the environments that stand for SnapStart snapshots again, one after the other, in the background: they were processes of the
 * server that has ended. Part of the capacity is left to functions that are invoked meanwhile.
 */
export function prepareSnapshotsLater(ports: ProvisioningPorts): void {
  const { background, database, homes, settings } = ports;
  background.run('snapshots', async () => {
    const all = await database.read(listSnapshotVersions);
    const versions = all.filter(({ name }) => homes.isHome(name));
    for (const { id } of versions.slice(0, Math.floor(settings.environmentsMax / 2))) {
      await prepareSnapshot(ports, id);
    }
  });
}

/**
 * Reads the version again before its start, which may have waited for many others, and after it: if the version was deleted,
 * deactivated or moved meanwhile, its drain came before there was an environment to close.
 */
async function prepareSnapshot(ports: ProvisioningPorts, versionId: number): Promise<void> {
  const { environments } = ports;
  const version = await findServedVersion(ports, versionId);
  if (!version) return;
  const failure = await environments.prewarm(desiredSpec(version));
  if (!(await findServedVersion(ports, versionId))) environments.drain(versionId);
  // One that does not start is started again by its next invocation, which reports why it fails.
  throwIfFault(failure);
}

/** Undefined for a version that has no environments here: it was deleted, is inactive, or has its home on another server. */
export async function findServedVersion(
  { database, homes }: Pick<SystemPorts, 'database' | 'homes'>,
  versionId: number,
): Promise<FunctionVersion | undefined> {
  const version = await database.read((sql) => findVersionById(sql, versionId));
  if (!version || version.state.value === 'Inactive') return undefined;
  return homes.isHome(version.name) ? version : undefined;
}

/**
 * Starts an environment with the new configuration next to those of the old one, and switches when it is ready. Until then, and
 * permanently if it does not start, invocations use the old one.
 */
async function provision(ports: ProvisioningPorts, versionId: number): Promise<void> {
  const { database, environments, settings, clock } = ports;
  const version = await database.read((sql) => findVersionById(sql, versionId));
  if (!version || !isUnfinished(version) || !ports.homes.isHome(version.name)) return;
  // An inactive version that was invoked: it is activated with its active configuration.
  if (isRestoring(version)) return activateVersion(ports, versionId);
  const again = (): void => provisionLater(ports, versionId);
  if (ports.testHolds?.holdsUpdate(version.name, versionId, again)) return;
  const failure: StartFailure | undefined =
    ports.testHolds?.takeFailure(version.name) ??
    (await environments.prewarm(desiredSpec(version)));
  throwIfTemporaryFault(failure);
  // Negative when the clock was set back meanwhile.
  const inProgressFor = Math.max(0, clock.now() - version.lastModified);
  if (inProgressFor < settings.minimumInProgressMilliseconds)
    await delay(settings.minimumInProgressMilliseconds - inProgressFor);
  const finished = await finishProvisioning(ports, version, failure);
  environments.drain(versionId, finished ? version.desired.id : version.activeConfigurationId);
  if (version.version !== latest) await resumeWaitingProvisionedConcurrency(ports, version);
  throwIfFault(failure);
}

function desiredSpec({ desired, ...version }: FunctionVersion): VersionSpec {
  return versionSpecOf({ ...version, ...desired, id: version.id, configurationId: desired.id });
}

function isUnfinished({ state, lastUpdate }: FunctionVersion): boolean {
  return state.value === 'Pending' || lastUpdate?.value === 'InProgress';
}

/** True when the new configuration serves from now on. */
async function finishProvisioning(
  { database, random }: Pick<SystemPorts, 'database' | 'random'>,
  version: FunctionVersion,
  failure: StartFailure | undefined,
): Promise<boolean> {
  const revisionId = random.id();
  // As observed on AWS, a new function whose code fails to start still becomes Active, and each invocation returns the error: there is
  // no older configuration to continue with. A function with a snapshot becomes Failed.
  const isFirst = version.state.value === 'Pending' || version.activeConfigurationId === undefined;
  const invocable = isFirst && !hasSnapshot(version.desired.configuration, version.version);
  const serves = !failure || (invocable && failure.code.startsWith('FunctionError'));
  const outcome = serves
    ? ({ value: 'Successful' } as const)
    : ({ value: 'Failed', reason: failure } as const);
  const stored = await database.write(async (sql) => {
    // Its revision may have changed meanwhile: a version was published, or its policy changed.
    const now = await findVersionById(sql, version.id);
    if (now?.desired.id !== version.desired.id || !isUnfinished(now)) return false;
    return compareAndReplaceVersionState(sql, now.id, now.revisionId, {
      configurationId: now.desired.id,
      revisionId,
      lastModified: now.lastModified,
      activeConfigurationId: serves ? now.desired.id : now.activeConfigurationId,
      state: isFirst && !serves ? { value: 'Failed', reason: failure } : { value: 'Active' },
      lastUpdate: outcome,
    });
  });
  return stored && serves;
}
