import { invalidParameter } from '../errors/functions-error.ts';
import type { SystemPorts } from '../ports/system-ports.ts';
import type { DurableExecutions } from './executions.ts';
import { checkErrorSize } from './check-updates.ts';
import { endExecution } from './end-execution.ts';
import { getByArn } from './find-execution.ts';
import type { ErrorObject } from './operation.ts';
import { lockExecution } from './run-store.ts';

/** Stops a running execution, and returns the time; stopping it again changes nothing. */
export async function stopExecution(
  {
    database,
    clock,
    durable,
    settings,
  }: Pick<SystemPorts, 'database' | 'clock' | 'settings'> & { readonly durable: DurableExecutions },
  arn: string,
  error: ErrorObject,
): Promise<number> {
  checkErrorSize(error);
  const stopped = await database.write(
    async (sql) => {
      const now = clock.now();
      const execution = await getByArn(sql, settings, arn);
      const { id, status, endedAt = now } = execution;
      if (status === 'STOPPED') return { id, endedAt };
      if (status !== 'RUNNING') {
        throw invalidParameter(`The durable execution has already ended with status ${status}.`);
      }
      await lockExecution(sql, id);
      await endExecution(sql, execution, { status: 'STOPPED', error }, now);
      return { id, endedAt: now };
    },
    { queue: `durable ${arn}` },
  );
  durable.wake(stopped.id);
  return stopped.endedAt;
}
