import { stat } from 'node:fs/promises';
import { join } from 'node:path';

import { ifThere } from '#platform/absent-files.ts';
import type { Database } from '#platform/database/database.ts';
import type { Log } from '#platform/log.ts';
import { OperatorError } from '#platform/operator-error.ts';
import type { Random } from '#platform/random.ts';

import { ArchivesUnavailableError, faultOf } from './archives/archive-faults.ts';
import { type ArchivesLocation, shownLocation } from './archives/archives-location.ts';
import { bindStoreToInstallation, requireNoClaim } from './archives/claim.ts';
import { findClaim } from './archives/claim-store.ts';
import { openFolderArchives } from './archives/folder-archives.ts';
import { openCodeStore } from './archives/open-store.ts';
import { ownArchives } from './archives/own-archives.ts';
import type { SharedArchives } from './archives/shared-archives.ts';
import { type MovePorts, moveLocalArchives, moveFolderArchives } from './archives/move-archives.ts';
import { referencedArchives } from './code-store.ts';

interface ArchivesPorts {
  readonly database: Database;
  readonly random: Random;
  readonly log: Log;
  /** Rejects if another node runs with another store: nothing may be moved away from it. */
  readonly checkStores?: () => Promise<void>;
}

interface ArchivesStart {
  /** The service's own folder of this server. */
  readonly folder: string;
  /** That of all servers; undefined for a single one. */
  readonly sharedFolder: string | undefined;
  /** The store that the operator names. */
  readonly location: ArchivesLocation | undefined;
}

/** Archives that are not next to their unpacked code: those of several servers, of a store, or of a server that has the data of such. */
export async function openArchives(
  ports: ArchivesPorts,
  { folder, sharedFolder, location }: ArchivesStart,
): Promise<SharedArchives | undefined> {
  const usual = join(sharedFolder ?? folder, archivesName);
  // Of a server that was the only one: the folder of all, or this server's own before it became one of several.
  const codeFolders = new Set([sharedFolder ?? folder, folder].map((each) => join(each, 'code')));
  const movingTo = (shared: SharedArchives): MovePorts => ({
    shared,
    referenced: () => ports.database.read(referencedArchives),
    log: ports.log,
  });
  if (location === undefined) {
    await requireNoClaim(ports);
    if (sharedFolder === undefined && !(await isFolder(usual))) return undefined;
    const archives = await openFolderArchives(usual);
    for (const each of codeFolders) await moveLocalArchives(movingTo(archives), each);
    return archives;
  }
  const store = await openCodeStore(location, join(folder, copiesName), ports.random);
  try {
    await bindStoreToInstallation(ports, store, location);
    await ports.checkStores?.();
    await store.recover();
    const archives = ownArchives(store, location, () => ports.database.read(findClaim));
    const moving = movingTo(archives);
    await moveFolderArchives(moving, usual);
    for (const each of codeFolders) await moveLocalArchives(moving, each);
    return archives;
  } catch (error) {
    store.archives.close();
    throw error instanceof ArchivesUnavailableError ? unmoved(location, error) : error;
  }
}

/** Those that were moved are in the store, the others where they were: the next start goes on. */
function unmoved(location: ArchivesLocation, { cause }: ArchivesUnavailableError): OperatorError {
  if (cause instanceof OperatorError) return cause;
  return new OperatorError(
    `Moving archives of code to ${shownLocation(location)} (HOB_CODE) failed: ${faultOf(cause).fault} Start again once the store works.`,
    { cause },
  );
}

/** Where they are unless the operator names a store; a backup has them there. */
const archivesName = 'archives';
/** Copies of archives that were read from a bucket lately. */
const copiesName = 'archive-copies';

async function isFolder(path: string): Promise<boolean> {
  return (await ifThere(stat(path)))?.isDirectory() ?? false;
}
