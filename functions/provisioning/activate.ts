import type { Clock } from '#platform/clock.ts';
import type { Database } from '#platform/database/database.ts';
import type { Random } from '#platform/random.ts';

import { isRestoring, type FunctionVersion } from '../configuration/function-record.ts';
import { findVersionById, compareAndReplaceVersionState } from '../configuration/function-store.ts';
import type { EnvironmentPool } from '../environments/pool/environment-pool.ts';
import { throwIfFault, throwIfTemporaryFault } from '../environments/start-failure.ts';
import type { StartFailure } from '../environments/version-spec.ts';
import { findVersionSpec } from '../invocation/invocation-store.ts';
import { noteUse } from './provisioning-store.ts';

export interface ActivationPorts {
  readonly database: Database;
  readonly clock: Clock;
  readonly random: Random;
  readonly environments: EnvironmentPool;
}

/** Activates an inactive version with its active configuration; it stays inactive if that fails. */
export async function activateVersion(ports: ActivationPorts, versionId: number): Promise<void> {
  const { database, environments, random, clock } = ports;
  const found = await database.read(async (sql) => {
    const version = await findVersionById(sql, versionId);
    const activeConfigurationId = version?.activeConfigurationId;
    if (!version || !isRestoring(version) || activeConfigurationId === undefined) return undefined;
    return { version, spec: await findVersionSpec(sql, versionId, activeConfigurationId) };
  });
  if (!found?.spec) return;
  const failure = await environments.prewarm(found.spec);
  throwIfTemporaryFault(failure);
  const { version } = found;
  const revisionId = random.id();
  await database.write(async (sql) => {
    const now = await findVersionById(sql, version.id);
    if (!now || !isRestoring(now)) return;
    await compareAndReplaceVersionState(sql, now.id, now.revisionId, {
      ...now,
      configurationId: now.desired.id,
      revisionId,
      state: stateAfter(failure),
    });
    // A start may take longer than a function may be idle: the next sweep would deactivate it again.
    await noteUse(sql, now.id, clock.now());
  });
  throwIfFault(failure);
}

/** A version whose code does not start becomes active too; its invocations report why, as those of a new function do. */
function stateAfter(failure: StartFailure | undefined): FunctionVersion['state'] {
  return !failure || failure.code.startsWith('FunctionError')
    ? { value: 'Active' }
    : { value: 'Inactive', reason: failure };
}
