import type { DurablePorts } from '../durable-ports.ts';
import { openDurableExecutions, type DurableExecutions } from '../executions.ts';

/** Durable executions that fail soon, and throw errors that have no caller. */
export function openTestDurable(
  ports: Omit<DurablePorts, 'notifications' | 'timings' | 'onError'>,
): DurableExecutions {
  return openDurableExecutions({
    ...ports,
    timings: { retryMilliseconds: 1000, failuresMax: 3 },
    onError: (error) => {
      throw error;
    },
  });
}
