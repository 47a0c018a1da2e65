import type { Log } from '#platform/log.ts';
import type { ScheduledTask } from '#platform/schedule.ts';

import type { Ports } from './ports.ts';
import { maintainRepositories } from './repositories/maintain-repositories.ts';

const minute = 60_000;

/** What the forge does from time to time. */
export function forgeTasks(ports: Ports, log: Log): ScheduledTask[] {
  return [
    {
      name: 'packing repositories',
      everyMilliseconds: minute,
      run: (goesOn) => maintainRepositories(ports, log, goesOn),
    },
  ];
}
