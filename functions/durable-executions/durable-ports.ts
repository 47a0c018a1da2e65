import type { Database } from '#platform/database/database.ts';
import type { Random } from '#platform/random.ts';

import type { Site } from '../model/function-name.ts';
import type { RunPorts } from '../invocation/run-function.ts';
import type { DurableTimings } from './decide-run.ts';

/** What running durable executions needs of the world. */
export interface DurablePorts extends RunPorts {
  readonly database: Database;
  readonly random: Random;
  /** Whose claims those of this server are. */
  readonly serverId: string;
  readonly settings: Site;
  readonly timings: DurableTimings;
  /** Hears of faults of ours. */
  readonly onError: (error: unknown) => void;
  readonly news: ExecutionNews;
}

/** Who tells what has become of executions. */
export interface ExecutionNews {
  /** Something is due at a time, or at once: executions, or invocations for them. */
  due(at?: number): void;
  /** An execution may have ended; the end of the log of its last invocation, where there was one. */
  changed(id: number, logTail?: Buffer): void;
}
