import type { MaintenanceKind, RepositorySize } from '../git/git.ts';

/** A repository with this many packs is due soon. */
const packsMax = 50;
const looseObjectsMax = 2000;
/** One with this many objects is due at once, if it never was packed: reading its history takes long without an index. */
const unindexedObjectsMax = 10_000;
/** The minimum interval, however often the repository receives pushes. */
const intervalMilliseconds = 10 * 60_000;
/** A repository that exceeds the threshold by this factor does not wait for the interval. */
const urgency = 2;
/** Full maintenance runs at the latest this long after a push. */
export const fullMilliseconds = 7 * 24 * 3_600_000;

/** The last incremental and full maintenance of a repository; null: never. */
export interface Maintained {
  readonly at: number | null;
  readonly fullyAt: number | null;
}

/** When a repository of this size is due after a write. */
export function maintenanceDueAt(size: RepositorySize, { at }: Maintained, now: number): number {
  const crowded = Math.max(size.packs / packsMax, size.looseObjects / looseObjectsMax);
  const unindexed = at === null && size.packedObjects >= unindexedObjectsMax;
  if (crowded < 1) return unindexed ? now : now + fullMilliseconds;
  if (crowded >= urgency || at === null) return now;
  // In the future when the clock was set back since.
  return Math.max(now, Math.min(at, now) + intervalMilliseconds);
}

export function maintenanceKind({ fullyAt }: Maintained, now: number): MaintenanceKind {
  return fullyAt === null || now - fullyAt >= fullMilliseconds ? 'full' : 'incremental';
}
