import { ArchivesUnavailableError } from './archive-faults.ts';
import { type ArchivesLocation, shownLocation } from './archives-location.ts';
import type { ClaimRow } from './claim-store.ts';
import type { CodeStore } from './open-store.ts';
import type { SharedArchives } from './shared-archives.ts';
import { keyIn, markerName } from './store-marker.ts';

/**
 * The archives of a store that this installation has claimed. It may have become another's since: its marker was deleted and written anew, another
 * volume is mounted, or both have claimed a bucket without conditional writes. So before an archive is added, and once in each removal, the
 * marker must have the key that the database has. That costs a small read of the store each time; reads of archives need none, since each is
 * compared with its hash.
 */
export function ownArchives(
  { archives, readMarker }: Pick<CodeStore, 'archives' | 'readMarker'>,
  location: ArchivesLocation,
  readClaim: () => Promise<ClaimRow | undefined>,
): SharedArchives {
  return {
    ...archives,

    async add(sha256, file, within) {
      const claim = await readClaim();
      try {
        requireOwn(claim, await readMarker(within), location);
      } catch (error) {
        throw new ArchivesUnavailableError(error);
      }
      await archives.add(sha256, file, within);
    },

    async prune(keep) {
      requireOwn(await readClaim(), await readMarker(), location);
      return archives.prune(keep);
    },
  };
}

function requireOwn(
  claim: ClaimRow | undefined,
  marker: string | undefined,
  location: ArchivesLocation,
): void {
  const found = marker === undefined ? undefined : keyIn(marker);
  if (found !== undefined && found !== '' && found === claim?.key) return;
  const shown = shownLocation(location);
  const own = claim === undefined ? 'has none in its database' : `has the key ${claim.key}`;
  const its =
    found === undefined
      ? `The store of code ${shown} lacks ${markerName}`
      : `${markerName} of the store of code ${shown} has ${found === '' ? 'no key' : `the key ${found}`}`;
  throw new Error(
    `${its}, and this installation ${own}: nothing is added or removed. Is another folder or bucket mounted or named there, or has another installation taken it over?`,
  );
}
