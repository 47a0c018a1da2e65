import { lstat, rm } from 'node:fs/promises';
import { join } from 'node:path';

import { ifThere, isAbsent, namesIn } from '#platform/absent-files.ts';
import { boundedTasks } from '#platform/durable-files.ts';
import { errorCode } from '#platform/error-code.ts';
import type { Log } from '#platform/log.ts';
import { OperatorError } from '#platform/operator-error.ts';

import { hashOfFile, NoFileError } from './hash-of-file.ts';
import { archiveHash, type SharedArchives } from './shared-archives.ts';
import { markerName } from './store-marker.ts';

/** The archive in a code folder, next to its unpacked content. */
export const archiveFile = 'archive.zip';

export interface MovePorts {
  readonly shared: Pick<SharedArchives, 'add'>;
  /** Hashes of the archives that functions and layers use. */
  readonly referenced: () => Promise<ReadonlySet<string>>;
  readonly log: Pick<Log, 'warn' | 'error'>;
}

/** Moves the archives out of the code folder of a server that was the only one. */
export async function moveLocalArchives(ports: MovePorts, codeFolder: string): Promise<void> {
  await moveArchives(ports, codeFolder, await localArchives(codeFolder));
}

/** Those of a server that has no other store. It has unpacked code there even if its archives are elsewhere; others are left of a killed upload. */
export async function localArchives(codeFolder: string): Promise<readonly LocalArchive[]> {
  const hashes = (await namesIn(codeFolder)).filter((name) => /^[0-9a-f]{64}$/.test(name));
  const archives: LocalArchive[] = [];
  for (const sha256 of hashes) {
    const path = join(codeFolder, sha256, archiveFile);
    if (await ifThere(lstat(path))) archives.push({ sha256, path });
  }
  return archives;
}

/** Moves the archives out of the folder of an installation that had no other store, unless that is a store itself. */
export async function moveFolderArchives(ports: MovePorts, folder: string): Promise<void> {
  const names = await namesIn(folder);
  if (names.includes(markerName)) return;
  const hashes = names.flatMap((name) => archiveHash(name) ?? []);
  const archives = hashes.map((sha256) => ({ sha256, path: join(folder, `${sha256}.zip`) }));
  await moveArchives(ports, folder, archives);
}

interface LocalArchive {
  readonly sha256: string;
  readonly path: string;
}

type DamagedArchive = LocalArchive & { readonly fault: string };

/** The others may be of another installation, whose data folder this was: among those of this one, they would be removed. */
async function moveArchives(
  ports: MovePorts,
  folder: string,
  archives: readonly LocalArchive[],
): Promise<void> {
  if (archives.length === 0) return;
  const hashes = await ports.referenced();
  const used = archives.filter(({ sha256 }) => hashes.has(sha256));
  const others = archives.length - used.length;
  if (others > 0)
    ports.log.warn(
      { folder, archives: others },
      'archives that no function or layer of this installation uses stay where they are',
    );
  const damaged: DamagedArchive[] = [];
  const tasks = boundedTasks(movesAtOnce);
  try {
    for (const archive of used)
      await tasks.start(async () => {
        const fault = await moveArchive(ports, archive);
        if (fault !== undefined) damaged.push({ ...archive, fault });
      });
  } finally {
    await tasks.ended();
  }
  refuseDamaged(ports, damaged);
}

/** Archives that are moved into a store of `HOB_CODE` at once. */
const movesAtOnce = 4;

/** Returns what is wrong with the archive, which then stays where it is. Another server that starts now may move it first. */
async function moveArchive(
  { shared, log }: MovePorts,
  { sha256, path }: LocalArchive,
): Promise<string | undefined> {
  const moved = async (): Promise<string | undefined> => {
    const fault = await faultIn(path, sha256);
    if (fault !== undefined) return fault;
    await shared.add(sha256, path);
    // It is stored: what is left takes space, and nothing else.
    await rm(path, { force: true }).catch((err: unknown) => {
      log.warn({ err, file: path }, 'an archive of code was copied, but cannot be removed here');
    });
    return undefined;
  };
  return ifThere(moved());
}

/** Compared here: what a store says of another content differs, and a folder says nothing. */
async function faultIn(path: string, sha256: string): Promise<string | undefined> {
  try {
    const found = await hashOfFile(path);
    return found === sha256 ? undefined : `its hash is ${found}`;
  } catch (error) {
    if (error instanceof NoFileError) return 'it is not a file';
    if (!isAbsent(error)) return `it cannot be read: ${errorCode(error) ?? String(error)}`;
    if (await ifThere(lstat(path))) return 'it is a link to a file that does not exist';
    throw error;
  }
}

/** Names every damaged archive in the log, and refuses the start: the code would be lost silently. */
function refuseDamaged({ log }: MovePorts, damaged: readonly DamagedArchive[]): void {
  for (const { path, fault } of damaged)
    log.error({ file: path, fault }, 'an archive of code that is used is damaged');
  const [first, ...others] = damaged;
  if (!first) return;
  const more = others.length === 0 ? '' : ` The log names ${others.length} more.`;
  throw new OperatorError(
    `The archive ${first.path} of a function or layer is damaged: ${first.fault}. Copy it from a backup, or delete it, start again and upload that code again.${more}`,
  );
}
