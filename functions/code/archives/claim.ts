import type { Database } from '#platform/database/database.ts';
import { OperatorError } from '#platform/operator-error.ts';
import type { Random } from '#platform/random.ts';

import { type ArchivesLocation, shownLocation } from './archives-location.ts';
import { type ClaimRow, findClaim, insertClaim, markClaim } from './claim-store.ts';
import type { CodeStore } from './open-store.ts';
import { keyIn, markerName, markerText } from './store-marker.ts';

interface ClaimPorts {
  readonly database: Pick<Database, 'read' | 'write'>;
  readonly random: Pick<Random, 'id'>;
}

/**
 * Makes the store one of this installation, by a key in both: one installation would remove the archives of another, and a server with the mount
 * point of an absent volume would have no code.
 */
export async function bindStoreToInstallation(
  { database, random }: ClaimPorts,
  store: Pick<CodeStore, 'readMarker' | 'createMarker'>,
  location: ArchivesLocation,
): Promise<void> {
  const shown = shownLocation(location);
  const read = (): ReturnType<typeof findClaim> => database.read(findClaim);
  const found = await store.readMarker();
  let claim = await read();
  if (!claim) {
    if (found !== undefined) throw otherInstallation(shown);
    await database.write((sql) => insertClaim(sql, random.id(), shown));
    claim = await read();
  }
  if (!claim) throw new Error('The claim of the code store is not in the database.');
  const { key, isMarked } = claim;
  // Another server that starts now may have written it since.
  const marker = found === undefined && isMarked ? await store.readMarker() : found;
  const problem = claimProblem(claim, marker, location);
  if (problem) throw problem;
  if (!isMarked) {
    await store.createMarker(markerText(key));
    // Another installation that starts now may have been first.
    const created = claimProblem({ ...claim, isMarked: true }, await store.readMarker(), location);
    if (created) throw created;
  }
  if (!isMarked || claim.location !== shown)
    await database.write((sql) => markClaim(sql, key, shown));
}

/** Why the store is not the one that the database means, whose file `hob-code.json` has this text. */
export function claimProblem(
  claim: ClaimRow | undefined,
  marker: string | undefined,
  location: ArchivesLocation,
): OperatorError | undefined {
  const shown = shownLocation(location);
  if (marker !== undefined) {
    return keyIn(marker) === claim?.key ? undefined : otherInstallation(shown);
  }
  if (claim?.isMarked === false) return undefined;
  const where = claim === undefined ? '' : `, which was in ${claim.location}`;
  return new OperatorError(
    `HOB_CODE is ${shown}, which lacks the file ${markerName}: it is not the store with the code of this installation${where}. Mount or name that one, or copy all of it there, ${markerName} included.`,
  );
}

/** A server without HOB_CODE would not find what is in the store. */
export async function requireNoClaim({
  database,
}: {
  readonly database: Pick<Database, 'read'>;
}): Promise<void> {
  const claim = await database.read(findClaim);
  if (!claim?.isMarked) return;
  throw new OperatorError(
    `The code of functions is in ${claim.location}: set HOB_CODE. To have it elsewhere, copy all of it to another folder or bucket, ${markerName} included, and name that.`,
  );
}

function otherInstallation(shown: string): OperatorError {
  return new OperatorError(
    `HOB_CODE is ${shown}, which has the code of another installation, maybe the one that this one was restored from: each needs a folder or prefix of its own. If that installation is gone for good, delete ${markerName} there.`,
  );
}
