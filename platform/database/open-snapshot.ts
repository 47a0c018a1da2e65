import type { DatabaseSnapshot } from './database-snapshot.ts';
import { openPostgresSnapshot } from './postgres-snapshot.ts';
import { openSqliteSnapshot } from './sqlite-snapshot.ts';

/** Opens the same addresses as `openDatabase`, to copy what is there. */
export function openSnapshot(url: string): Promise<DatabaseSnapshot> {
  return /^postgres(ql)?:\/\//.test(url)
    ? openPostgresSnapshot(url)
    : openSqliteSnapshot(url.replace(/^sqlite:/, ''));
}
