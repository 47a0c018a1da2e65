import type { ConfiguredResources } from '../configured-resources/configured-resources.ts';
import type { RunPorts } from '../invocation/run-function.ts';
import type { Site } from '../model/function-name.ts';
import type { Random } from '#platform/random.ts';
import type { Database } from '#platform/database/database.ts';
import type { PollingWorker } from './polling-worker.ts';
import type { EventTimings } from './event-timings.ts';

/** What asynchronous invocation needs. */
export interface EventPorts extends RunPorts {
  readonly database: Database;
  readonly random: Random;
  /** Identifies the claims of this server. */
  readonly serverId: string;
  readonly settings: Site;
  readonly configured: Pick<ConfiguredResources, 'targets'>;
  readonly timings: EventTimings;
  /** Receives internal errors, and messages that could not be delivered. */
  readonly onError: (error: unknown) => void;
  /** Delivers the messages of the outbox. */
  readonly messages: Pick<PollingWorker, 'wake'>;
}
