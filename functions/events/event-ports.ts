import type { ConfiguredResources } from '../declared/declared-resources.ts';
import type { RunPorts } from '../invocation/run-function.ts';
import type { Site } from '../model/function-name.ts';
import type { Random } from '#platform/random.ts';
import type { Database } from '#platform/database/database.ts';
import type { PollingWorker } from './polling-worker.ts';
import type { EventTimings } from './event-timings.ts';

/** What running events later needs of the world. */
export interface EventPorts extends RunPorts {
  readonly database: Database;
  readonly random: Random;
  /** Whose claims those of this server are. */
  readonly serverId: string;
  readonly settings: Site;
  readonly configured: Pick<ConfiguredResources, 'targets'>;
  readonly timings: EventTimings;
  /** Hears of faults of ours, and of messages that nobody took. */
  readonly onError: (error: unknown) => void;
  /** Hands over what is owed. */
  readonly messages: Pick<PollingWorker, 'wake'>;
}
