import { chmod, link, mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';

import { claimProblem } from '#functions/code/archives/claim.ts';
import type { ClaimRow } from '#functions/code/archives/claim-store.ts';
import type { ArchivesLocation } from '#functions/code/archives/archives-location.ts';
import { openCodeStore } from '#functions/code/archives/open-store.ts';
import { namesIn } from '#platform/absent-files.ts';
import { OperatorError } from '#platform/operator-error.ts';
import { systemRandom } from '#platform/random.ts';

import { copyFolder } from './file-copies.ts';
import { inParallel } from './in-parallel.ts';

/** Where a server finds archives that it had somewhere else. */
export const archivesFolder = 'functions/archives';

export interface CodeSource {
  /** The store that HOB_CODE names. */
  readonly location: ArchivesLocation | undefined;
  /** What the database knows of that. */
  readonly claim: ClaimRow | undefined;
  /** Hashes of archives; of images as well, which are not in the store. */
  readonly named: readonly string[];
}

/** Copies the named archives of the store of the installation, if it has one, into the data folder of a backup. */
export async function copyArchives(
  { location, claim, named }: CodeSource,
  copy: string,
  onCopied: (done: number) => void,
): Promise<void> {
  if (location === undefined) {
    if (claim?.isMarked !== true) return;
    throw new OperatorError(
      `The code of functions is in ${claim.location}: run the backup with HOB_CODE as the server has it.`,
    );
  }
  const target = join(copy, archivesFolder);
  const copies = join(copy, 'archive-copies');
  const store = await openCodeStore(location, copies, systemRandom);
  try {
    const problem = claimProblem(claim, await store.readMarker(), location);
    if (problem) throw problem;
    await store.recover();
    await mkdir(target, { recursive: true, mode: 0o700 });
    // What was not moved to the store yet is there already.
    const there = new Set(await namesIn(target));
    const missing = named.filter((sha256) => !there.has(`${sha256}.zip`));
    if (location.kind === 'folder') {
      const wanted = new Set(missing.map((sha256) => `${sha256}.zip`));
      await copyFolder(location.folder, target, 'link', (path) => !wanted.has(path));
      // That of the operator may be open to others.
      await chmod(target, 0o700);
      return;
    }
    const stored = new Set(await store.archives.list());
    let done = 0;
    await inParallel(
      missing.filter((sha256) => stored.has(sha256)),
      4,
      async (sha256) => {
        await store.archives
          .use(sha256, (path) => link(path, join(target, `${sha256}.zip`)))
          .catch((error: unknown) => {
            throw unreadable(sha256, error);
          });
        onCopied((done += 1));
      },
    );
  } finally {
    store.archives.close();
    await rm(copies, { recursive: true, force: true });
  }
}

function unreadable(sha256: string, error: unknown): OperatorError {
  const cause = error instanceof Error ? (error.cause ?? error) : error;
  return new OperatorError(
    `The archive ${sha256} of a function or layer cannot be copied from the store of HOB_CODE: ${cause instanceof Error ? cause.message : String(cause)} Run the backup again, or upload that code again.`,
    { cause: error },
  );
}
