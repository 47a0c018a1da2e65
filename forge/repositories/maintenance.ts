import type { MaintenanceKind, RepositorySize } from '../git/git.ts';

/** Packs with which a repository is packed soon. */
const packsMax = 50;
/** Loose objects with which a repository is packed soon. */
const looseObjectsMax = 2000;
/** Objects with which a repository that was never packed is packed at once: reading its history takes long without an index. */
const unindexedObjectsMax = 10_000;
/** Time between two packings of a repository, however often it receives pushes; with twice as many packs it does not wait. */
const intervalMilliseconds = 10 * 60_000;
/** A repository that exceeds the threshold by this factor does not wait for the interval. */
const urgency = 2;
/** Time after a push within which everything is packed anew. */
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
