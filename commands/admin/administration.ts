import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';

import { openDatabase } from '#platform/database/open-database.ts';
import { revisionMilliseconds } from '#platform/database/sqlite-data-version.ts';
import { openDataDirectory } from '#platform/data-directory.ts';
import { systemClock } from '#platform/clock.ts';
import { createPasswords } from '#platform/password.ts';
import { type Random, systemRandom } from '#platform/random.ts';
import type { AdministrationPorts } from '#forge/ports/ports.ts';
import type { ConfiguredResources } from '#functions/configured-resources/configured-resources.ts';
import { readFileResources } from '#functions/configured-resources/read-configured-resources.ts';
import type { AccountRegion } from '#functions/model/function-name.ts';
import { rotateServiceKey, type Rotated } from '#functions/keys/rotate-service-key.ts';
import { openServiceKey, type ServiceKey } from '#functions/keys/service-key.ts';
import { sealedColumns } from '#functions/persistent-parts.ts';
import { migrationsFolder } from '../../program-files.ts';
import type { Settings } from '#settings/setting-values.ts';

/** What it takes to administer accounts of the forge and keys of the function service. */
export interface CommandPorts extends AdministrationPorts {
  readonly random: Random;
  readonly accountRegion: AccountRegion;
  /** Opened, or made, by the subcommands that need it. */
  readonly openServiceKey: () => Promise<ServiceKey>;
  /** The resources that the operator's file declares, as far as this command has its setting. */
  readonly fileResources: () => Promise<ConfiguredResources>;
  readonly dataDirectory: string;
  /** Seals everything with a new service key. */
  readonly rotateServiceKey: () => Promise<Rotated>;
}

/** Opens the server's own database, whether the server runs or not, for the time of one piece of work. */
export async function administer<T>(
  settings: Settings,
  work: (ports: CommandPorts) => Promise<T>,
): Promise<T> {
  const data = await openDataDirectory(settings.data);
  const database = await openDatabase(settings.database ?? data.databaseFile, { migrationsFolder });
  const basePorts = { database, clock: systemClock, random: systemRandom };
  const keyPorts = { ...basePorts, folder: join(data.path, 'functions') };
  try {
    return await work({
      ...basePorts,
      passwords: createPasswords(),
      randomBytes: (count) => systemRandom.bytes(count),
      accountRegion: settings,
      openServiceKey: () => openServiceKey(keyPorts),
      fileResources: () => readFileResources(settings.functions.resources),
      dataDirectory: data.path,
      rotateServiceKey: () => rotateServiceKey(keyPorts, sealedColumns),
    });
  } finally {
    await database.close();
    // A running server has noticed by then what this command changed.
    await pause(2 * revisionMilliseconds);
  }
}
