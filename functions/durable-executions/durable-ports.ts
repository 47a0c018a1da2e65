import type { Database } from '#platform/database/database.ts';
import type { Random } from '#platform/random.ts';

import type { AccountRegion } from '../model/function-name.ts';
import type { RunPorts } from '../invocation/run-function.ts';
import type { HomeNodes } from '../ports/home-nodes.ts';
import type { DurableTimings } from './decide-run.ts';
import type { LogTail } from '../logs/environment-log.ts';

/** What running durable executions needs. */
export interface DurablePorts extends RunPorts {
  readonly database: Database;
  readonly random: Random;
  /** Identifies the claims of this server. */
  readonly serverId: string;
  readonly settings: AccountRegion;
  readonly homes: HomeNodes;
  readonly timings: DurableTimings;
  /** Receives internal errors. */
  readonly onError: (error: unknown) => void;
  readonly notifications: ExecutionNotifications;
}

/** Notifications about executions. */
export interface ExecutionNotifications {
  /** Executions, or chained invocations, are due at a time, or immediately. */
  due(at?: number): void;
  /** An execution may have ended; the end of the log of its last invocation, where there was one. */
  changed(id: number, logTail?: LogTail): void;
}
