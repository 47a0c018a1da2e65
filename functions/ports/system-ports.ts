import type { BackgroundWork } from '#platform/background.ts';
import type { Clock } from '#platform/clock.ts';
import type { Database } from '#platform/database/database.ts';
import type { Random } from '#platform/random.ts';

import type { FunctionSettings } from './settings.ts';

/** What most of the service needs; each area adds what is its own. */
export interface SystemPorts {
  readonly database: Database;
  readonly clock: Clock;
  readonly random: Random;
  /** Work after the response; one run at a time per key, errors are logged. */
  readonly background: BackgroundWork;
  readonly settings: FunctionSettings;
}
