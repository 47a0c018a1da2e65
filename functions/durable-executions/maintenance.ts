import { orphanedOperations } from './chained-store.ts';
import type { DurablePorts } from './durable-ports.ts';
import { completeOperation, endExecution, executionTimedOut } from './end-execution.ts';
import {
  findExecutionById,
  deleteExecution,
  expiredExecutions,
  overdueExecutions,
} from './execution-store.ts';
import { lockExecution } from './run-store.ts';

/** The most rows in one pass. */
const most = 100;

interface Found {
  readonly overdue: readonly number[];
  readonly expired: readonly number[];
  readonly orphaned: readonly { readonly executionId: number; readonly id: string }[];
}

/** Maintenance that is due: executions that timed out, histories past their retention period. */
export async function findMaintenance({
  database,
  clock,
}: DurablePorts): Promise<Found | undefined> {
  const now = clock.now();
  const found = await database.read(async (sql) => ({
    overdue: await overdueExecutions(sql, now, most),
    expired: await expiredExecutions(sql, now, most),
    orphaned: await orphanedOperations(sql, most),
  }));
  const { overdue, expired, orphaned } = found;
  return overdue.length + expired.length + orphaned.length === 0 ? undefined : found;
}

export async function maintain(ports: DurablePorts, found: Found): Promise<void> {
  const { database, clock, notifications } = ports;
  for (const id of found.overdue) {
    await database.write(async (sql) => {
      await lockExecution(sql, id);
      const execution = await findExecutionById(sql, id);
      if (execution?.status !== 'RUNNING') return;
      const end = { status: 'TIMED_OUT', error: executionTimedOut } as const;
      await endExecution(sql, execution, end, clock.now());
    });
    notifications.changed(id);
  }
  for (const id of found.expired) await database.write((sql) => deleteExecution(sql, id));
  for (const { executionId, id } of found.orphaned) {
    const ending = { status: 'FAILED', error: functionGone } as const;
    await database.write((sql) => completeOperation(sql, executionId, id, ending, clock.now()));
  }
  notifications.due();
}

const functionGone = {
  ErrorType: 'ResourceNotFoundException',
  ErrorMessage: 'The function was deleted during its execution.',
};
