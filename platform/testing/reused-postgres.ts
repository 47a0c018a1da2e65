import { after } from 'node:test';

import type { Database } from '../database/database.ts';
import { readMigrations } from '../database/migration-files.ts';
import { openPostgres } from '../database/postgres-database.ts';
import { createSerialQueues } from '../serial-queues.ts';
import { lend } from './lent-database.ts';
import { reset, shapeOf } from './reset-postgres.ts';
import { dropMade, makeMigrated, migrationsFolder, testLimits } from './test-postgres.ts';

interface MadeDatabase {
  /** Of the server. */
  readonly url: string;
  /** Its own. */
  readonly made: string;
  readonly database: Database;
  /** Of its tables, when it was made. */
  readonly shape: string;
}

/**
 * A database on the server of the URL, as the migrations leave it. A test process has few, and lends them to one test after the other:
 * to make one takes a tenth of a second, and its new connections know no table and no statement yet, which takes longer.
 */
export function openTestPostgres(url: string): Promise<Database> {
  // One after the other: all test files begin at once.
  return opening.run('open', async () => {
    const taken = (await takeIdle(url)) ?? (await makeOne(url));
    return lend(taken.database, async (hasEnded) => {
      if (hasEnded) idle.push(taken);
      else await drop(taken);
    });
  });
}

const opening = createSerialQueues();

/** Those that no test uses, with what the last one left in them. */
const idle: MadeDatabase[] = [];

/** All there are; a test that failed may not have closed its own, and the connections would keep the process from ending. */
const all = new Set<MadeDatabase>();

after(async () => {
  for (const made of all) await drop(made);
});

async function takeIdle(url: string): Promise<MadeDatabase | undefined> {
  const index = idle.findIndex((made) => made.url === url);
  const [made] = index === -1 ? [] : idle.splice(index, 1);
  if (!made || (await reset(made.database, made.shape))) return made;
  // A test changed its tables.
  await drop(made);
  return takeIdle(url);
}

async function makeOne(url: string): Promise<MadeDatabase> {
  const made = await makeMigrated(url);
  const migrations = await readMigrations(migrationsFolder);
  const database = await openPostgres(made, migrations, undefined, testLimits);
  const one = { url, made, database, shape: await shapeOf(database) };
  all.add(one);
  return one;
}

async function drop(one: MadeDatabase): Promise<void> {
  all.delete(one);
  const { url, made, database } = one;
  await database.close();
  await dropMade(url, made);
}
