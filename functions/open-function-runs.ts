import type { Clock } from '#platform/clock.ts';
import type { Database } from '#platform/database/database.ts';
import type { Random } from '#platform/random.ts';

import type { ConfiguredResources } from './configured-resources/configured-resources.ts';
import { usualDurableTimings } from './durable-executions/decide-run.ts';
import { openDurableExecutions, type DurableExecutions } from './durable-executions/executions.ts';
import type { EnvironmentPool } from './environments/pool/environment-pool.ts';
import {
  createMappingPollers,
  type MappingPollers,
} from './event-source-mappings/mapping-pollers.ts';
import { usualPauseMilliseconds } from './event-source-mappings/poll-queue.ts';
import { createEventQueue, type EventQueue } from './events/event-queue.ts';
import { usualTimings, type EventTimings } from './events/event.ts';
import { ConcurrencyLimiter } from './invocation/concurrency-limiter.ts';
import type { RunPorts } from './invocation/run-function.ts';
import { Targets, VersionSpecCache, type Inactivity } from './invocation/targets.ts';
import { createTraceCollector, Traces } from './invocation/traces.ts';
import type { AccountRegion } from './model/function-name.ts';
import type { FunctionServicePorts } from './persistent-parts.ts';
import type { HomeNodes } from './ports/home-nodes.ts';
import type { FunctionSettings } from './ports/system-ports.ts';

interface FunctionRuns {
  readonly run: RunPorts;
  readonly events: EventQueue;
  readonly durable: DurableExecutions;
  readonly pollers: MappingPollers;
}

interface RunParts {
  readonly environments: EnvironmentPool;
  readonly inactivity: Inactivity;
  readonly settings: FunctionSettings;
  readonly configured: ConfiguredResources;
}

/** What runs functions: on request and by events, by durable executions, and by messages of queues. */
export function openFunctionRuns(
  basics: FunctionServicePorts,
  parts: RunParts,
  closers: (() => Promise<void>)[],
): FunctionRuns {
  const logged = (message: string) => (err: unknown) => basics.log.error({ err }, message);
  const invocations = openInvocations({
    ...basics,
    ...parts,
    timings: usualTimings,
    onError: logged('processing asynchronous events failed'),
  });
  closers.push(() => invocations.close());
  const { run, events } = invocations;
  const durable = openDurableExecutions({
    ...basics,
    ...run,
    settings: parts.settings,
    timings: usualDurableTimings,
    onError: logged('processing durable executions failed'),
  });
  closers.push(() => durable.close());
  const pollers = createMappingPollers({
    ...basics,
    ...parts,
    ...run,
    durable,
    pauseMilliseconds: usualPauseMilliseconds,
    onError: logged('polling a queue failed'),
  });
  closers.push(() => pollers.close());
  return { run, events, durable, pollers };
}

interface InvocationOptions {
  readonly database: Database;
  readonly clock: Clock;
  readonly random: Random;
  readonly serverId: string;
  readonly environments: EnvironmentPool;
  readonly settings: AccountRegion;
  readonly homes: HomeNodes;
  readonly configured: Pick<ConfiguredResources, 'targets' | 'traceCollector' | 'refresh'>;
  readonly timings: EventTimings;
  readonly inactivity: Inactivity;
  /** Receives errors that have no caller to report to. */
  readonly onError: (error: unknown) => void;
}

interface Invocations {
  readonly run: RunPorts;
  readonly events: EventQueue;
  close(): Promise<void>;
}

/** What runs functions on request and by events: one instance for the whole service. */
export function openInvocations(options: InvocationOptions): Invocations {
  const {
    database,
    clock,
    random,
    environments,
    inactivity,
    settings: accountRegion,
    configured,
    onError,
  } = options;
  const collector = createTraceCollector(configured.traceCollector, onError);
  const run: RunPorts = {
    clock,
    environments,
    inactivity,
    targets: new Targets(database, random),
    versionSpecs: new VersionSpecCache(database),
    limiter: new ConcurrencyLimiter(options.homes),
    traces: new Traces({ clock, random, accountRegion, collector }),
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
