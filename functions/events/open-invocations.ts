import type { Clock } from '#platform/clock.ts';
import type { Database } from '#platform/database/database.ts';
import type { Random } from '#platform/random.ts';

import type { ConfiguredResources } from '../configured-resources/configured-resources.ts';
import type { EnvironmentPool } from '../environments/pool/environment-pool.ts';
import type { Site } from '../model/function-name.ts';
import { InFlight } from '../invocation/in-flight.ts';
import type { InactivityGate } from '../invocation/inactivity.ts';
import type { RunPorts } from '../invocation/run-function.ts';
import { VersionSpecCache } from '../invocation/version-spec-cache.ts';
import { Targets } from '../invocation/targets.ts';
import { createTraceCollector } from '../invocation/trace-collector.ts';
import { Traces } from '../invocation/traces.ts';
import { createEventQueue, type EventQueue } from './event-queue.ts';
import type { EventTimings } from './event-timings.ts';

export interface InvocationOptions {
  readonly database: Database;
  readonly clock: Clock;
  readonly random: Random;
  readonly serverId: string;
  readonly environments: EnvironmentPool;
  readonly settings: Site;
  readonly configured: Pick<ConfiguredResources, 'targets' | 'traceCollector'>;
  readonly timings: EventTimings;
  readonly rest: InactivityGate;
  /** Receives errors that have no caller to report to. */
  readonly onError: (error: unknown) => void;
}

export interface Invocations {
  readonly run: RunPorts;
  readonly events: EventQueue;
  close(): Promise<void>;
}

/** Everything that runs functions, synchronously and asynchronously: one instance for the whole service. */
export function openInvocations(options: InvocationOptions): Invocations {
  const {
    database,
    clock,
    random,
    environments,
    rest,
    settings: site,
    configured,
    onError,
  } = options;
  const collector = createTraceCollector(configured.traceCollector, onError);
  const run: RunPorts = {
    clock,
    environments,
    rest,
    targets: new Targets(database, random),
    versionSpecs: new VersionSpecCache(database),
    inFlight: new InFlight(),
    traces: new Traces({ clock, random, site, collector }),
  };
  const events = createEventQueue({ ...options, ...run });
  return {
    run,
    events,
    async close() {
      await events.close();
      await collector.close();
    },
  };
}
