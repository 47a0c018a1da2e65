import { rm, stat } from 'node:fs/promises';
import { join } from 'node:path';

import { ifThere, isAbsent, namesIn } from '#platform/absent-files.ts';
import { boundedTasks } from '#platform/durable-files.ts';
import { errorCode } from '#platform/error-code.ts';
import type { Log } from '#platform/log.ts';
import { OperatorError } from '#platform/operator-error.ts';

import { hashOfFile } from './hash-of-file.ts';
import { archiveHash, markerName, type SharedArchives } from './shared-archives.ts';

/** The archive in a code folder, next to its unpacked content. */
export const archiveFile = 'archive.zip';

export interface MovePorts {
  readonly shared: Pick<SharedArchives, 'add'>;
  /** Hashes of the archives that functions and layers use. */
  readonly referenced: () => Promise<ReadonlySet<string>>;
  readonly log: Pick<Log, 'warn' | 'error'>;
}

/** Moves the archives out of the code folder of a server that was the only one. */
export async function takeArchives(ports: MovePorts, codeFolder: string): Promise<void> {
  // Others are what a killed server left of an upload.
  const hashes = (await namesIn(codeFolder)).filter((name) => /^[0-9a-f]{64}$/.test(name));
  const archives = hashes.map((sha256) => ({
    sha256,
    path: join(codeFolder, sha256, archiveFile),
  }));
  await moveArchives(ports, archives);
}

/** Moves the archives out of the folder of an installation that had no other store, unless that is a store itself. */
export async function takeFolderArchives(ports: MovePorts, folder: string): Promise<void> {
  const names = await namesIn(folder);
  if (names.includes(markerName)) return;
  const hashes = names.flatMap((name) => archiveHash(name) ?? []);
  const archives = hashes.map((sha256) => ({ sha256, path: join(folder, `${sha256}.zip`) }));
  await moveArchives(ports, archives);
}

interface LocalArchive {
  readonly sha256: string;
  readonly path: string;
}

type DamagedArchive = LocalArchive & { readonly fault: string };

async function moveArchives(ports: MovePorts, archives: readonly LocalArchive[]): Promise<void> {
  const damaged: DamagedArchive[] = [];
  const tasks = boundedTasks(movesAtOnce);
  try {
    for (const archive of archives)
      await tasks.start(async () => {
        const fault = await moveArchive(ports, archive);
        if (fault !== undefined) damaged.push({ ...archive, fault });
      });
  } finally {
    await tasks.ended();
  }
  if (damaged.length > 0) await requireUnused(ports, damaged);
}

const movesAtOnce = 4;

/** Returns what is wrong with the archive, which then stays where it is. Another server that starts now may move it first. */
async function moveArchive(
  { shared }: MovePorts,
  { sha256, path }: LocalArchive,
): Promise<string | undefined> {
  const moved = async (): Promise<string | undefined> => {
    const fault = await faultIn(path, sha256);
    if (fault !== undefined) return fault;
    await shared.add(sha256, path);
    await rm(path, { force: true });
    return undefined;
  };
  return ifThere(moved());
}

/** Compared here: what a store says of another content differs, and a folder says nothing. */
async function faultIn(path: string, sha256: string): Promise<string | undefined> {
  try {
    // Nothing is read of a pipe or a device.
    if (!(await stat(path)).isFile()) return 'it is not a file';
    const found = await hashOfFile(path);
    return found === sha256 ? undefined : `its hash is ${found}`;
  } catch (error) {
    if (isAbsent(error)) throw error;
    return `it cannot be read: ${errorCode(error) ?? String(error)}`;
  }
}

/** Names every damaged archive in the log. Refuses the start if a function or layer uses one: its code would be lost silently. */
async function requireUnused(
  { referenced, log }: MovePorts,
  damaged: readonly DamagedArchive[],
): Promise<void> {
  const hashes = await referenced();
  const used = damaged.filter(({ sha256 }) => hashes.has(sha256));
  for (const { path, fault } of damaged.filter((archive) => !used.includes(archive)))
    log.warn({ file: path, fault }, 'a damaged archive of code stays where it is: nothing uses it');
  for (const { path, fault } of used)
    log.error({ file: path, fault }, 'an archive of code that is used is damaged');
  const [first, ...others] = used;
  if (!first) return;
  const more = others.length === 0 ? '' : ` The log names ${others.length} more.`;
  throw new OperatorError(
    `The archive ${first.path} of a function or layer is damaged: ${first.fault}. Copy it from a backup, or delete it, start again and upload that code again.${more}`,
  );
}
