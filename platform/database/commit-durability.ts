import type { Log } from '../log.ts';
import { type CommitSettings, readCommitSettings } from './commit-settings-store.ts';
import type { Database } from './database.ts';
import { postgresAddress } from './postgres-options.ts';

/** Warns where PostgreSQL is set to acknowledge what it may lose: Hob has then acknowledged it as well, and cannot know that it is gone. */
export async function warnOfLossyCommits(
  database: Database,
  url: string | undefined,
  log: Pick<Log, 'warn'>,
): Promise<void> {
  if (database.engine !== 'postgres' || url === undefined) return;
  const settings = await database.readOne(readCommitSettings);
  const { hasSeveralHosts } = postgresAddress(url);
  for (const problem of lossyCommits(settings, hasSeveralHosts)) log.warn(settings, problem);
}

/** Why a crash, or a failover to a standby, loses what was acknowledged, and what to set. */
export function lossyCommits(
  { fsync, synchronousCommit, synchronousStandbyNames }: CommitSettings,
  hasSeveralHosts: boolean,
): readonly string[] {
  const problems: string[] = [];
  if (fsync === 'off')
    problems.push(
      'fsync of PostgreSQL is off: a crash of its machine loses acknowledged changes, or the database. Set fsync = on',
    );
  if (synchronousCommit === 'off')
    problems.push(
      'synchronous_commit of PostgreSQL is off: it acknowledges changes before they are on disk, and a crash of it loses them. Set synchronous_commit = on',
    );
  const namesStandbys = (synchronousStandbyNames ?? '') !== '';
  if (synchronousCommit === 'local' && (hasSeveralHosts || namesStandbys))
    problems.push(
      'synchronous_commit of PostgreSQL is local: it acknowledges changes before a standby has them, and a failover loses them. Set synchronous_commit = on',
    );
  if (synchronousStandbyNames === '' && hasSeveralHosts)
    problems.push(
      'DATABASE_URL has several hosts, but synchronous_standby_names of PostgreSQL is empty: a failover to a standby loses the changes that it has not received, although they were acknowledged. Name the standbys in synchronous_standby_names, or have what manages the failover do so (Patroni: synchronous_mode)',
    );
  return problems;
}
