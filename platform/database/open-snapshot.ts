import type { DatabaseSnapshot } from './database-snapshot.ts';
import { openSqliteSnapshot } from './sqlite-snapshot.ts';

/** Opens the same URLs as `openDatabase`, to copy what is there. */
export async function openSnapshot(url: string): Promise<DatabaseSnapshot> {
  if (!/^postgres(ql)?:\/\//.test(url)) return openSqliteSnapshot(url.replace(/^sqlite:/, ''));
  const { openPostgresSnapshot } = await import('./postgres-snapshot.ts');
  return openPostgresSnapshot(url);
}
