import type { Log } from '#platform/log.ts';

import { GitError } from '../git/git-error.ts';
import type { MaintenanceKind, MaintenanceReport } from '../git/git.ts';
import type { Ports } from '../ports/ports.ts';
import { maintenanceKind } from './maintenance.ts';
import { claimMaintenance, type ClaimedMaintenance, endMaintenance } from './maintenance-store.ts';
import { recordSize } from './after-push.ts';

/** Claim of a server on the maintenance of a repository: longer than any may take. */
const claimMilliseconds = 4 * 3_600_000;
/** Pause after maintenance that failed. */
const againMilliseconds = 24 * 3_600_000;
/** Pause after maintenance that met a git process that is starting again, or a stop of the server. */
const restartMilliseconds = 60_000;

type MaintenancePorts = Pick<Ports, 'clock' | 'database' | 'git'>;

/** Packs every repository that is due, one after the other, and logs each with its numbers. */
export async function maintainRepositories(
  ports: MaintenancePorts,
  log: Log,
  goesOn: () => boolean = () => true,
): Promise<void> {
  while (goesOn()) {
    const now = ports.clock.now();
    const claimed = await ports.database.write((sql) =>
      claimMaintenance(sql, now, now + claimMilliseconds),
    );
    if (!claimed) return;
    await maintainOne(ports, claimed, log);
  }
}

async function maintainOne(
  ports: MaintenancePorts,
  claimed: ClaimedMaintenance,
  log: Log,
): Promise<void> {
  const { repositoryId, maintained } = claimed;
  const kind = maintenanceKind(maintained, ports.clock.now());
  const started = performance.now();
  try {
    const { before, after } = await maintain(ports, repositoryId, kind, log);
    const milliseconds = Math.round(performance.now() - started);
    log.info({ repositoryId, kind, before, after, milliseconds }, 'packed a repository');
    const at = ports.clock.now();
    await ports.database.write(async (sql) => {
      await endMaintenance(sql, claimed, { at, fully: kind === 'full', dueAt: null });
      await recordSize(sql, repositoryId, after);
    });
  } catch (err) {
    const wait = waitAfter(err);
    if (wait === againMilliseconds) {
      log.warn({ err, repositoryId, kind }, 'packing a repository failed');
    }
    const at = ports.clock.now();
    const dueAt = wait === undefined ? null : at + wait;
    await ports.database.write((sql) => endMaintenance(sql, claimed, { at, fully: false, dueAt }));
  }
}

/** How long to wait before the next attempt; undefined: the repository no longer exists. */
function waitAfter(error: unknown): number | undefined {
  if (!(error instanceof GitError)) return againMilliseconds;
  if (error.kind === 'missing-repository') return undefined;
  return error.kind === 'unavailable' ? restartMilliseconds : againMilliseconds;
}

/** A repository that is too large for full maintenance gets incremental maintenance for another week. */
async function maintain(
  { git }: MaintenancePorts,
  repositoryId: number,
  kind: MaintenanceKind,
  log: Log,
): Promise<MaintenanceReport> {
  const repository = git.repository(repositoryId);
  try {
    return await repository.maintain(kind);
  } catch (err) {
    const tooLarge = err instanceof GitError && err.kind === 'limit';
    if (kind !== 'full' || !tooLarge) throw err;
    log.warn({ err, repositoryId }, 'the repository is too large for a full repack');
    return repository.maintain('incremental');
  }
}
