import { constants, type Dirent } from 'node:fs';
import { copyFile, cp, link, mkdir, readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';

import type { Git } from '#forge/git/git.ts';
import { openSnapshot } from '#platform/database/open-snapshot.ts';
import { errorCode } from '#platform/error-code.ts';

import { ControlRefusal } from './control-request.ts';

export interface RestoredSnapshot {
  /** Puts back what was there before the restore. */
  undo(): Promise<void>;
}

export interface SnapshotPaths {
  /** Of all snapshots; emptied at the start. */
  readonly folder: string;
  /** Undefined: it is not SQLite. */
  readonly databaseFile: string | undefined;
  /** Decrypts what is in the database, which may come from before it was rotated. */
  readonly serviceKeyFile: string;
  /** Of the git process. */
  readonly repositoriesFolder: string;
  /** Of the function service. */
  readonly logsFolder: string;
}

/**
 * Copies of all that a server has stored: rows, the service key, repositories and function logs. The code of functions is not among them: it is stored by its
 * hash and never changes, and such a server removes none.
 */
export class Snapshots {
  readonly #paths: SnapshotPaths;
  readonly #names = new Set<string>();

  private constructor(paths: SnapshotPaths) {
    this.#paths = paths;
  }

  static async open(paths: SnapshotPaths): Promise<Snapshots> {
    await rm(paths.folder, { recursive: true, force: true });
    return new Snapshots(paths);
  }

  get areSupported(): boolean {
    return this.#paths.databaseFile !== undefined;
  }

  /** Those that tests have chosen: names of the server itself begin with a dot. */
  get names(): readonly string[] {
    return [...this.#names].filter((name) => !name.startsWith('.'));
  }

  require(name: string): void {
    this.#sqlite();
    if (!this.#names.has(name)) {
      const known =
        this.names.length === 0 ? 'there is none' : `there are ${this.names.join(', ')}`;
      throw new ControlRefusal(404, `There is no snapshot ${JSON.stringify(name)}: ${known}.`);
    }
  }

  /** Copies everything, while nothing is written. A snapshot of the same name is replaced. */
  async take(name: string): Promise<void> {
    const database = this.#sqlite();
    const folder = join(this.#paths.folder, name);
    this.#names.delete(name);
    await rm(folder, { recursive: true, force: true });
    await mkdir(folder, { recursive: true, mode: 0o700 });
    await saveDatabase(database, folder);
    await copyFile(this.#paths.serviceKeyFile, join(folder, savedKey));
    await copyTree(this.#repositories, join(folder, 'repositories'));
    await copyIfThere(this.#paths.logsFolder, join(folder, 'logs'));
    this.#names.add(name);
  }

  /**
   * Puts everything back, while the database is closed. Until the services have started with it, what was there before stays on disk: `undo`
   * puts that back. If it fails, it has done so already.
   */
  async restore(name: string, git: Git): Promise<RestoredSnapshot> {
    this.require(name);
    const former = join(this.#paths.folder, formerState);
    await rm(former, { recursive: true, force: true });
    await this.#copyTo(former);
    const undo = (): Promise<void> => this.#putBack(former, git);
    try {
      await this.#putBack(join(this.#paths.folder, name), git);
    } catch (error) {
      await undo();
      throw error;
    }
    return { undo };
  }

  /** The files of the closed database, the service key, repositories and logs. */
  async #copyTo(folder: string): Promise<void> {
    const { serviceKeyFile, logsFolder } = this.#paths;
    await mkdir(folder, { recursive: true, mode: 0o700 });
    await copyFile(this.#sqlite(), join(folder, savedDatabase), constants.COPYFILE_FICLONE);
    await copyFile(serviceKeyFile, join(folder, savedKey));
    await copyTree(this.#repositories, join(folder, 'repositories'));
    await copyIfThere(logsFolder, join(folder, 'logs'));
  }

  async #putBack(folder: string, git: Git): Promise<void> {
    const { serviceKeyFile, logsFolder } = this.#paths;
    const database = this.#sqlite();
    for (const suffix of ['-wal', '-shm']) await rm(`${database}${suffix}`, { force: true });
    await replaceFile(join(folder, savedDatabase), database);
    await replaceFile(join(folder, savedKey), serviceKeyFile);
    // Also ends the git processes that have their files open.
    for (const id of await repositoryIds(this.#repositories)) await git.remove(id);
    await copyTree(join(folder, 'repositories'), this.#repositories);
    await rm(logsFolder, { recursive: true, force: true });
    await copyIfThere(join(folder, 'logs'), logsFolder);
  }

  get #repositories(): string {
    return join(this.#paths.repositoriesFolder, 'repositories');
  }

  #sqlite(): string {
    const { databaseFile } = this.#paths;
    if (databaseFile !== undefined) return databaseFile;
    const message =
      'Snapshots, and with them reset and restore, need the database SQLite: start the server without --database.';
    throw new ControlRefusal(501, message);
  }
}

const savedDatabase = 'hob.sqlite';
const savedKey = 'service-key';
/** No name that a test may choose. */
const formerState = '.former';

/** A reader finds the one file or the other. */
async function replaceFile(from: string, to: string): Promise<void> {
  const unfinished = `${to}.restored`;
  await copyFile(from, unfinished, constants.COPYFILE_FICLONE);
  await rename(unfinished, to);
}

async function saveDatabase(file: string, folder: string): Promise<void> {
  const snapshot = await openSnapshot(file);
  try {
    await snapshot.freeze([], async () => {});
    await snapshot.save(folder, () => {});
  } finally {
    await snapshot.close();
  }
}

/** `repositories/07/7.git` (forge/git/commands/repository-paths.ts). */
async function repositoryIds(folder: string): Promise<number[]> {
  const ids: number[] = [];
  for (const part of await entriesOf(folder)) {
    for (const { name } of await entriesOf(join(folder, part.name))) {
      const id = /^(\d+)\.git$/.exec(name)?.[1];
      if (id !== undefined) ids.push(Number(id));
    }
  }
  return ids;
}

/** git never writes into files of objects, so that they may have two names. */
async function copyTree(from: string, to: string, objects = false): Promise<void> {
  const entries = await entriesOf(from);
  await mkdir(to, { recursive: true, mode: 0o700 });
  await Promise.all(
    entries.map(async (entry) => {
      const source = join(from, entry.name);
      const target = join(to, entry.name);
      if (entry.isDirectory()) await copyTree(source, target, objects || entry.name === 'objects');
      else if (objects) await link(source, target).catch(ignoreAbsent);
      else if (entry.isFile()) await copyFile(source, target);
    }),
  );
}

async function copyIfThere(from: string, to: string): Promise<void> {
  await cp(from, to, { recursive: true }).catch(ignoreAbsent);
}

async function entriesOf(folder: string): Promise<Dirent[]> {
  return readdir(folder, { withFileTypes: true }).catch((error: unknown) => {
    ignoreAbsent(error);
    return [];
  });
}

function ignoreAbsent(error: unknown): void {
  if (errorCode(error) !== 'ENOENT') throw error;
}
