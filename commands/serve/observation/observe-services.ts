import { defaultShard } from '#forge/git/process/sharded-git.ts';
import type { Ports } from '#forge/ports/ports.ts';
import type { FunctionService } from '#functions/start-functions.ts';

import type { ApplicationOptions } from '../application.ts';
import type { Cluster } from '../nodes/cluster.ts';
import type { ServicesOptions } from '../start-services.ts';
import type { MetricsSources } from './metrics.ts';
import { type Observation, openObservation } from './observation.ts';

/** What operators see of both services. */
export async function observe(
  { settings, ssh, log, processes }: ServicesOptions,
  { clock, cacheCounts: cache = { hits: 0, misses: 0 }, database, serverStatus: status }: Ports,
  { isolation, statistics }: FunctionService,
  cluster: Cluster | undefined,
): Promise<Observation & Pick<ApplicationOptions, 'parts'>> {
  const functionsShareNetwork = async (): Promise<boolean> =>
    settings.functions.network === 'host' || (await isolation).enforced.network.strength !== 'full';
  const observation = await openObservation({ ...settings, functionsShareNetwork }, log, {
    now: () => clock.now(),
    cache,
    git: processes.git.statistics,
    database,
    nodes: cluster && nodeStatistics(cluster),
    functions: statistics,
    queues: async () => status?.queues() ?? [],
  });
  ssh?.observeWith(observation.sshCommandEnded);
  const functionsState = {
    isAvailable: () => processes.functions.sandboxes.isAvailable(),
  };
  const parts = {
    shards: () => processes.shards.states(),
    functions: functionsState,
    takesRequests: () => cluster?.isServing() ?? true,
  };
  return { ...observation, parts };
}

function nodeStatistics(cluster: Cluster): NonNullable<MetricsSources['nodes']> {
  return {
    live: () => cluster.live(),
    owns: () => cluster.owns(defaultShard),
    shards: () => cluster.shards(),
    lease: () => cluster.lease(),
  };
}
