import type { Sql } from '#platform/database/database.ts';

import { leaseMilliseconds } from '../events/claim-store.ts';
import type { Site } from '../model/function-name.ts';
import { Changes } from './changes.ts';
import { findExecutionById, findPayloads } from './execution-store.ts';
import { executionArn, checkpointToken, type Execution, type Run } from './execution.ts';
import { itselfForProgram, operationForProgram } from './operation-json.ts';
import { findOperations, outlineOperations } from './operation-store.ts';
import { claimExecution } from './run-store.ts';
import { stateMarker } from './state-marker.ts';
import { pageOfState, visibleOperations } from './visible-operations.ts';

/** The part of the state in the event; the program requests the rest. */
const firstPage = { items: 1000, size: 2_000_000 };

/** Claims a due execution for a server; undefined when it is no longer due. */
export async function claimRun(
  sql: Sql,
  id: number,
  run: Run,
  serverId: string,
): Promise<Execution | undefined> {
  const now = run.startedAt;
  if (!(await claimExecution(sql, id, run, serverId, now + leaseMilliseconds))) return undefined;
  const execution = await findExecutionById(sql, id);
  if (!execution) return undefined;
  const changes = new Changes();
  await changes.elapse(sql, id, now);
  // The event itself contains these changes, so no checkpoint needs to report them.
  return changes.save(sql, execution, now, execution.checkpoint - 1);
}

/** The event of a run: the state so far, and the token for its first checkpoint. */
export async function eventFor(
  sql: Sql,
  site: Site,
  execution: Execution,
  run: Run,
): Promise<Buffer> {
  const { input } = await findPayloads(sql, execution.id);
  const visible = visibleOperations(await outlineOperations(sql, execution.id));
  const page = pageOfState(visible, 0, firstPage);
  const operations = await findOperations(sql, execution.id, page.ids);
  const updated = visible.filter(({ updatedIn }) => updatedIn >= execution.checkpoint - 1);
  const event = {
    DurableExecutionArn: executionArn(site, execution),
    CheckpointToken: checkpointToken(run, execution.checkpoint),
    UpdatedOperationIds: updated.map((operation) => operation.id),
    InitialExecutionState: {
      Operations: [itselfForProgram(execution, input), ...operations.map(operationForProgram)],
      ...(page.next === undefined ? {} : { NextMarker: stateMarker(page.next) }),
    },
  };
  return Buffer.from(JSON.stringify(event));
}
