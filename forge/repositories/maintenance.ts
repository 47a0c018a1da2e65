import type { MaintenanceKind, RepositorySize } from '../git/maintenance-report.ts';

/** A repository with so many is packed soon. */
const packsMax = 50;
const looseObjectsMax = 2000;
/** Not more often than this, however much is pushed. */
const intervalMilliseconds = 10 * 60_000;
/** With so many times as much there is no waiting for that. */
const urgency = 10;
/** How long after a push, at the latest, everything is packed anew. */
export const fullMilliseconds = 7 * 24 * 3_600_000;

/** When a repository was maintained last, in part or fully; null: never. */
export interface Maintained {
  readonly at: number | null;
  readonly fullyAt: number | null;
}

/** When a repository that was written to and has become this size is to be packed. */
export function maintenanceDueAt(size: RepositorySize, { at }: Maintained, now: number): number {
  const crowded = Math.max(size.packs / packsMax, size.looseObjects / looseObjectsMax);
  if (crowded < 1) return now + fullMilliseconds;
  if (crowded >= urgency || at === null) return now;
  return Math.max(now, at + intervalMilliseconds);
}

export function maintenanceKind({ fullyAt }: Maintained, now: number): MaintenanceKind {
  return fullyAt === null || now - fullyAt >= fullMilliseconds ? 'full' : 'incremental';
}
