import { openDatabase } from '#platform/open-database.ts';
import { openDataDirectory } from '#platform/data-directory.ts';
import { systemClock } from '#platform/clock.ts';
import { createPasswords } from '#platform/password.ts';
import { systemRandom } from '#platform/random.ts';
import type { AdministrationPorts } from '#forge/accounts/administration-ports.ts';
import type { Settings } from '#settings';

import { migrationsFolder } from '../program-files.ts';

/** Opens the server's own database, whether the server runs or not, for the time of one piece of work. */
export async function administer<T>(
  settings: Settings,
  work: (ports: AdministrationPorts) => Promise<T>,
): Promise<T> {
  const data = await openDataDirectory(settings.data);
  const database = await openDatabase(settings.database ?? data.databaseFile, { migrationsFolder });
  try {
    return await work({
      database,
      clock: systemClock,
      passwords: createPasswords(),
      randomBytes: (count) => systemRandom.bytes(count),
    });
  } finally {
    await database.close();
  }
}
