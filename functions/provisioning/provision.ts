import { setTimeout as delay } from 'node:timers/promises';

import type { FunctionVersion } from '../configuration/function-record.ts';
import { findVersionById, listUnsettled, replaceStanding } from '../configuration/function-store.ts';
import type { StartFailure, Subject } from '../environments/subject.ts';
import type { FunctionPorts } from '../ports.ts';

/** Goes on, behind the answer, with what an accepted create or update began. */
export function provisionLater(ports: FunctionPorts, versionId: number): void {
  ports.background.run(`function version ${versionId}`, () => provision(ports, versionId));
}

/** Has an environment ready before the first invocation of a version that needs no proof any more. */
export function prepareLater(ports: FunctionPorts, version: FunctionVersion): void {
  ports.background.run(`function version ${version.id}`, async () => {
    await ports.environments.prepare(subjectOf(version));
  });
}

/** Takes up what a crash interrupted; called before anybody is served. */
export async function resumeProvisioning(ports: FunctionPorts): Promise<number> {
  const unsettled = await ports.database.read(listUnsettled);
  for (const id of unsettled) provisionLater(ports, id);
  return unsettled.length;
}

/**
 * Starts an environment with the new configuration beside those of the old one, and swaps when it is ready. Until then, and
 * for good if it does not start, invocations run with the old one.
 */
async function provision(ports: FunctionPorts, versionId: number): Promise<void> {
  const { database, environments, settings, clock } = ports;
  const version = await database.read((sql) => findVersionById(sql, versionId));
  if (!version || !isUnsettled(version)) return;
  const failure = await environments.prepare(subjectOf(version));
  const shown = clock.now() - version.lastModified;
  if (shown < settings.updateMilliseconds) await delay(settings.updateMilliseconds - shown);
  const settled = await settle(ports, version, failure);
  environments.retire(versionId, settled ? version.described.id : version.servingId);
}

function subjectOf(version: FunctionVersion): Subject {
  const { id, configuration, sealedVariables } = version.described;
  return {
    versionId: version.id,
    functionName: version.name,
    version: version.version,
    configurationId: id,
    configuration,
    sealedVariables,
  };
}

function isUnsettled({ state, lastUpdate }: FunctionVersion): boolean {
  return state.value === 'Pending' || lastUpdate?.value === 'InProgress';
}

/** True when the new configuration serves from now on. */
async function settle(
  { database, random }: FunctionPorts,
  version: FunctionVersion,
  failure: StartFailure | undefined,
): Promise<boolean> {
  const standing = {
    configurationId: version.described.id,
    revisionId: random.id(),
    lastModified: version.lastModified,
  };
  // A new function whose code does not start is there all the same, and its invocations tell why (recorded); there is nothing
  // older that could go on.
  const made = version.state.value === 'Pending';
  const serves = !failure || (made && failure.code.startsWith('FunctionError'));
  const outcome = serves
    ? ({ value: 'Successful' } as const)
    : ({ value: 'Failed', reason: failure } as const);
  const stored = await database.write((sql) =>
    replaceStanding(sql, version.id, version.revisionId, {
      ...standing,
      servingId: serves ? version.described.id : version.servingId,
      state: made && !serves ? { value: 'Failed', reason: failure } : { value: 'Active' },
      lastUpdate: outcome,
    }),
  );
  return stored && serves;
}
