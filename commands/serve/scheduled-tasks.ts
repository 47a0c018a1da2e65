import { forgeTasks, removalOfAssets } from '#forge/maintenance-tasks.ts';
import type { Ports } from '#forge/ports/ports.ts';
import { removalOfCode } from '#functions/retention-tasks.ts';
import type { FunctionService } from '#functions/start-functions.ts';
import { createSchedule, type Schedule, type ScheduledTask } from '#platform/schedule.ts';
import type { TaskRuns } from '#platform/task-runs.ts';

import type { ServicesOptions } from './start-services.ts';

/** Starts what both services do from time to time, unless maintenance is off. */
export function startSchedule(
  options: ServicesOptions,
  ports: Ports,
  functions: Pick<FunctionService, 'tasks'>,
  taskRuns: TaskRuns,
): Schedule {
  const { log } = options;
  const tasks = chosen(options, [...forgeTasks(ports, log), ...functions.tasks]);
  const schedule = createSchedule(taskRuns.observed(tasks), (err, task) =>
    log.error({ err, task }, 'scheduled work failed'),
  );
  schedule.start();
  return schedule;
}

function chosen(
  { settings, retainsCode = false }: ServicesOptions,
  all: readonly ScheduledTask[],
): readonly ScheduledTask[] {
  if (!settings.maintenance) return [];
  const removals: readonly string[] = [removalOfCode, removalOfAssets];
  return retainsCode ? all.filter(({ name }) => !removals.includes(name)) : all;
}
