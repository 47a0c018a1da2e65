import type { Database } from '#platform/database/database.ts';
import type { QueueSize } from '#platform/queue-size.ts';

import type { EnvironmentCounts, EnvironmentPool } from './environments/pool/environment-pool.ts';
import type { InvocationTotals } from './environments/pool/invocation-recorder.ts';
import { functionQueues } from './events/queue-size-store.ts';

/** What the function service is doing, as numbers. */
export interface FunctionStatistics {
  readonly invocations: Readonly<InvocationTotals>;
  environments(): EnvironmentCounts;
  queues(): Promise<readonly QueueSize[]>;
}

export function statisticsOf(
  database: Database,
  environments: EnvironmentPool,
  invocations: Readonly<InvocationTotals>,
): FunctionStatistics {
  return {
    invocations,
    environments: () => environments.counts(),
    queues: () => database.read(functionQueues),
  };
}
