import type { Sql } from '#platform/database.ts';

import type { FunctionReference } from '../identity/function-name.ts';
import { findSubject } from '../invocation/invocation-store.ts';
import { findTarget } from '../invocation/invoke-target.ts';
import { findFunction } from '../configuration/function-store.ts';
import type { Subject } from '../environments/subject.ts';
import type { FunctionPorts } from '../ports.ts';
import type { Provisioned } from './provisioned.ts';
import { findProvisioned, listProvisionedFunctions, settleProvisioned } from './provisioned-store.ts';

/** Starts, behind the answer, what a version or alias is to have ready, and lets go of what it is not. */
export function keepReadyLater(ports: FunctionPorts, name: string, qualifier: string): void {
  ports.background.run(`ready environments of ${name}:${qualifier}`, () =>
    keepReady(ports, { name, qualifier }),
  );
}

/** Starts everything that is to be ready again; called before anybody is served. */
export async function resumeReady(ports: FunctionPorts): Promise<number> {
  const all = await ports.database.read(listProvisionedFunctions);
  for (const { name, qualifier } of all) keepReadyLater(ports, name, qualifier);
  return all.length;
}

async function keepReady(
  { database, environments }: FunctionPorts,
  reference: FunctionReference,
): Promise<void> {
  const { subject, provisioned } = await database.read(async (sql) => ({
    subject: await findReadySubject(sql, reference),
    provisioned: await findProvisionedNamed(sql, reference),
  }));
  // What is pending or could not be made has nothing to be kept ready.
  const failed = subject
    ? (await environments.keepReady(subject, provisioned?.requested ?? 0)) !== undefined
    : true;
  if (!provisioned) return;
  await database.write((sql) =>
    settleProvisioned(sql, provisioned, {
      available: failed ? 0 : provisioned.requested,
      status: failed ? 'FAILED' : 'READY',
      statusReason: failed ? 'FUNCTION_ERROR_INIT_FAILURE' : undefined,
    }),
  );
}

async function findProvisionedNamed(
  sql: Sql,
  { name, qualifier = '' }: FunctionReference,
): Promise<Provisioned | undefined> {
  const found = await findFunction(sql, name);
  return found && findProvisioned(sql, found.id, qualifier);
}

/** What the environments of a version or alias are started for. */
async function findReadySubject(
  sql: Sql,
  reference: FunctionReference,
): Promise<Subject | undefined> {
  // The first version of an alias: the fraction is never below any weight.
  const target = await findTarget(sql, reference, () => 1);
  if (target?.servingId === undefined) return undefined;
  return findSubject(sql, target.versionId, target.servingId);
}

