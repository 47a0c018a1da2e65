import type { Log } from '#platform/log.ts';
import type { ScheduledTask } from '#platform/schedule.ts';

import { removeOldRows } from './remove-old-rows.ts';
import type { Ports } from './ports/ports.ts';
import { maintainRepositories } from './repositories/maintain-repositories.ts';

const minute = 60_000;
const hour = 60 * minute;

/** What the forge does from time to time. */
export function forgeTasks(ports: Ports, log: Log): ScheduledTask[] {
  return [
    {
      name: 'packing repositories',
      everyMilliseconds: minute,
      run: (goesOn) => maintainRepositories(ports, log, goesOn),
    },
    {
      name: 'removing old rows',
      everyMilliseconds: 6 * hour,
      run: (goesOn) => removeOldRows(ports, log, goesOn),
    },
  ];
}
