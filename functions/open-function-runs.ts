import { openDurableExecutions, type DurableExecutions } from './durable-executions/executions.ts';
import { usualDurableTimings } from './durable-executions/decide-run.ts';
import type { EnvironmentPool } from './environments/pool/environment-pool.ts';
import {
  createMappingPollers,
  type MappingPollers,
} from './event-source-mappings/mapping-pollers.ts';
import { usualPauseMilliseconds } from './event-source-mappings/poll-queue.ts';
import { usualTimings } from './events/event.ts';
import type { EventQueue } from './events/event-queue.ts';
import { openInvocations } from './events/run-event.ts';
import type { ConfiguredResources } from './configured-resources/configured-resources.ts';
import type { RunPorts } from './invocation/run-function.ts';
import type { Inactivity } from './invocation/targets.ts';
import type { FunctionServicePorts } from './persistent-parts.ts';
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
