import { defaultShard } from '#forge/git/process/sharded-git.ts';
import { forgeTasks, removalOfAssets } from '#forge/maintenance-tasks.ts';
import type { Ports } from '#forge/ports/ports.ts';
import { removalOfCode } from '#functions/retention/remove-unused.ts';
import type { FunctionService } from '#functions/start-functions.ts';
import { createSchedule, type Schedule, type ScheduledTask } from '#platform/schedule.ts';
import type { TaskRuns } from '#platform/task-runs.ts';

import type { Cluster } from './nodes/cluster.ts';
import type { ServicesOptions } from './start-services.ts';

/** Starts what both services do from time to time, unless maintenance is off. */
export function startSchedule(
  options: ServicesOptions,
  ports: Ports,
  functions: Pick<FunctionService, 'tasks'>,
  {
    taskRuns,
    cluster,
  }: { readonly taskRuns: TaskRuns; readonly cluster: Pick<Cluster, 'owns'> | undefined },
): Schedule {
  const { log } = options;
  const tasks = chosen(options, [...ofOwner(forgeTasks(ports, log), cluster), ...functions.tasks]);
  const schedule = createSchedule(taskRuns.observed(tasks), (err, task) =>
    log.error({ err, task }, 'scheduled work failed'),
  );
  schedule.start();
  return schedule;
}

/** What all nodes of a cluster share is worked on by the one that has the default shard. */
function ofOwner(
  tasks: readonly ScheduledTask[],
  cluster: Pick<Cluster, 'owns'> | undefined,
): readonly ScheduledTask[] {
  if (!cluster) return tasks;
  return tasks.map((task) => ({
    ...task,
    run: async (goesOn) => {
      if (cluster.owns(defaultShard)) await task.run(() => goesOn() && cluster.owns(defaultShard));
    },
  }));
}

function chosen(
  { settings, retainsCode = false }: ServicesOptions,
  all: readonly ScheduledTask[],
): readonly ScheduledTask[] {
  if (!settings.maintenance) return [];
  const removals: readonly string[] = [removalOfCode, removalOfAssets];
  return retainsCode ? all.filter(({ name }) => !removals.includes(name)) : all;
}
