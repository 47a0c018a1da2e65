import type { Clock } from '#platform/clock.ts';
import type { ScheduledTask } from '#platform/schedule.ts';

import { removeInvocationCounts } from './environments/pool/invocation-counts-store.ts';
import type { InvocationRecorder } from './environments/pool/invocation-recorder.ts';
import type { LogStreams } from './logs/log-streams.ts';
import type { FunctionStart } from './persistent-parts.ts';
import {
  createRemovalOfUnused,
  removalOfCode,
  type RetentionPorts,
} from './retention/remove-unused.ts';

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;

const removalOfLogs = 'removing old logs';

/** Retention of counts of invocations: the longest period that a page shows, and a day. */
const countedDays = 8;

/** What the function service does from time to time: removals, and writing what was counted. */
export function retentionTasks(
  ports: RetentionPorts & {
    readonly clock: Clock;
    readonly logs: LogStreams;
    readonly recorder: Pick<InvocationRecorder, 'flush'>;
  },
  { logDays }: Pick<FunctionStart, 'logDays'>,
): ScheduledTask[] {
  const tasks: ScheduledTask[] = [
    {
      name: removalOfCode,
      everyMilliseconds: 20 * minute,
      run: createRemovalOfUnused(ports),
    },
    {
      name: 'writing counts of invocations',
      everyMilliseconds: 10_000,
      run: () => ports.recorder.flush(),
    },
    {
      name: 'removing old counts of invocations',
      everyMilliseconds: 6 * hour,
      async run() {
        const before = ports.clock.now() - countedDays * day;
        await ports.database.write((sql) => removeInvocationCounts(sql, before));
      },
    },
  ];
  if (logDays > 0) {
    tasks.push({
      name: removalOfLogs,
      everyMilliseconds: 6 * hour,
      async run() {
        // All servers write to the same folder.
        if (!ports.homes.isHome(removalOfLogs)) return;
        const streams = await ports.logs.dropOlder(ports.clock.now() - logDays * day);
        if (streams > 0) ports.log.info({ streams }, 'removed old log streams');
      },
    });
  }
  return tasks;
}
