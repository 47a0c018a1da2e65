import type { Clock } from '#platform/clock.ts';
import type { ScheduledTask } from '#platform/schedule.ts';

import type { LogStreams } from './logs/log-streams.ts';
import type { FunctionStart } from './persistent-parts.ts';
import { createRemovalOfUnused, type RetentionPorts } from './retention/remove-unused.ts';

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;

export const removalOfCode = 'removing unused code';

/** The periodic removals of the function service. */
export function retentionTasks(
  ports: RetentionPorts & { readonly clock: Clock; readonly logs: LogStreams },
  { logDays }: Pick<FunctionStart, 'logDays'>,
): ScheduledTask[] {
  const tasks: ScheduledTask[] = [
    {
      name: removalOfCode,
      everyMilliseconds: 20 * minute,
      run: createRemovalOfUnused(ports),
    },
  ];
  if (logDays > 0) {
    tasks.push({
      name: 'removing old logs',
      everyMilliseconds: 6 * hour,
      async run() {
        const streams = await ports.logs.dropOlder(ports.clock.now() - logDays * day);
        if (streams > 0) ports.log.info({ streams }, 'removed old log streams');
      },
    });
  }
  return tasks;
}
