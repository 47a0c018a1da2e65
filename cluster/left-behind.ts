import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

import postgres from 'postgres';

import { postgresAddress } from '#platform/database/postgres-options.ts';

/** Work that is under way or waits, by what it is. When clients have been silent for some time, nothing is left of any. */
const unfinished: Readonly<Record<string, string>> = {
  'intents of changes of refs': 'select count(*)::int from ref_intents',
  'unfinished versions of functions':
    "select count(*)::int from function_versions where state = 'Pending' or update_status = 'InProgress'",
  'moves of networks': 'select count(*)::int from network_moves',
  'asynchronous events': 'select count(*)::int from function_events',
  'messages about events': 'select count(*)::int from function_messages',
  'running durable executions':
    "select count(*)::int from durable_executions where status = 'RUNNING'",
  'push deployments':
    'select count(*)::int from function_push_deployments where claimed_by is not null',
};

/** Work of which a line says why it is there. */
const explained = {
  repositories: `select 'repository ' || id || ', ' || name || ', is ' || state || ' by server ' || coalesce(life_server_id, '?') as line
    from repositories where state <> 'ready' order by id`,
  deliveries: `select 'webhook delivery ' || id || ' is due at ' || to_timestamp(due_at / 1000) || ' after ' || attempts || ' attempts, the last '
      || coalesce(status, '?') || ', claimed by ' || coalesce(claimed_by, 'nobody') as line
    from webhook_deliveries where due_at is not null order by id`,
};

/** Waits until nothing is left; otherwise gives what still is after some seconds, a line each. */
export async function leftBehind(
  databaseUrl: string,
  repositories: readonly string[],
  seconds: number,
): Promise<string[]> {
  const address = postgresAddress(databaseUrl);
  const sql = postgres(address.url, { ...address.options, max: 1 });
  try {
    const patient = performance.now() + seconds * 1000;
    for (;;) {
      const left = [...(await unfinishedIn(sql)), ...(await temporaryFilesIn(repositories))];
      if (left.length === 0 || performance.now() > patient) return left;
      await delay(200);
    }
  } finally {
    await sql.end();
  }
}

async function unfinishedIn(sql: ReturnType<typeof postgres>): Promise<string[]> {
  const left: string[] = [];
  for (const [what, statement] of Object.entries(unfinished)) {
    const [row] = await sql.unsafe<{ count: number }[]>(statement);
    if (row && row.count > 0) left.push(`${row.count} ${what}`);
  }
  for (const statement of Object.values(explained)) {
    const rows = await sql.unsafe<{ line: string }[]>(statement);
    left.push(...rows.map(({ line }) => line));
  }
  return left;
}

/** Quarantines of pushes (`tmp_objdir-…`), unfinished objects and packs (`tmp_…`), and locks. */
async function temporaryFilesIn(folders: readonly string[]): Promise<string[]> {
  const left: string[] = [];
  for (const repository of (await Promise.all(folders.map(bareRepositories))).flat()) {
    const names = await readdir(repository, { recursive: true });
    const temporary = names.filter((name) => /(?:^|\/)tmp_[^/]*$|\.lock$/.test(name));
    left.push(...temporary.map((name) => join(repository, name)));
  }
  return left;
}

/** Below a folder; repositories have no others in them. */
export async function bareRepositories(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
  if (entries.some(({ name }) => name === 'HEAD')) return [folder];
  const folders = entries.filter((entry) => entry.isDirectory());
  const found = await Promise.all(folders.map(({ name }) => bareRepositories(join(folder, name))));
  return found.flat();
}
