import {
  chmod,
  lstat,
  mkdir,
  mkdtemp,
  open,
  readdir,
  readFile,
  rename,
  rm,
  stat,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

import { errorCode } from './error-code.ts';
import { OperatorError } from './operator-error.ts';
import { systemRandom } from './random.ts';

/** Where everything that must outlive the program is. */
export interface DataDirectory {
  readonly path: string;
  /** The embedded database, used when no other is named. */
  readonly databaseFile: string;
  /** The git repositories. */
  readonly repositoriesFolder: string;
  /** The files of release assets. */
  readonly assetsFolder: string;
}

/** A data directory that no other server can use meanwhile. */
export interface LockedDataDirectory extends DataDirectory {
  /** Unix sockets of this server. */
  readonly socketsFolder: string;
  /** Distinguishes this server from others on the same database, at every start with this directory. */
  readonly serverId: string;
  release(): Promise<void>;
}

/** Another server has the data directory. */
export class DataDirectoryInUseError extends OperatorError {
  /** The number of its process, on its machine. */
  readonly owner: string;

  constructor(path: string, owner: string, options: ErrorOptions) {
    super(
      `Another server uses the data directory ${path} (process ${owner}). Stop it, use another directory with --data, or have this server wait for it with --standby.`,
      options,
    );
    this.owner = owner;
  }
}

/** Makes the directory, for its owner only, if it is not there. */
export async function openDataDirectory(folder: string): Promise<DataDirectory> {
  const path = resolve(folder);
  try {
    await refuseStrangeFolder(path);
    await mkdir(join(path, 'repositories'), { recursive: true, mode: 0o700 });
    await writeFile(join(path, lockFile), '', { flag: 'a', mode: 0o600 });
  } catch (cause) {
    throw cannotUse(path, cause);
  }
  return {
    path,
    databaseFile: join(path, 'hob.sqlite'),
    repositoriesFolder: join(path, 'repositories'),
    assetsFolder: join(path, 'assets'),
  };
}

function cannotUse(path: string, cause: unknown): OperatorError {
  if (cause instanceof OperatorError) return cause;
  const reason = cause instanceof Error ? cause.message : String(cause);
  return new OperatorError(`Cannot use the data directory ${path}: ${reason}.`, { cause });
}

/**
 * Other users may not pass, whatever the folder was made with, a restored backup or an earlier version left open; so it does not
 * matter what lies deeper. The server alone opens what programs of functions pass through.
 */
async function closeToOthers(path: string): Promise<void> {
  const inside = (await readdir(path)).map((name) => join(path, name));
  for (const each of [path, ...inside]) {
    const stats = await lstat(each).catch(undefinedIfAbsent);
    // A volume has folders of its own in it, which are root's.
    if (!stats || stats.uid !== process.getuid?.() || (stats.mode & 0o077) === 0) continue;
    if (stats.isDirectory()) await chmod(each, 0o700);
    else if (stats.isFile()) await chmod(each, 0o600).catch(undefinedIfAbsent);
  }
}

/** Claims the directory for one server. The claim ends with the process, however that ends. */
export async function lockDataDirectory(directory: DataDirectory): Promise<LockedDataDirectory> {
  const { path } = directory;
  const lock = await claim(path);
  try {
    await writeFile(join(path, ownerFile), `${process.pid}\n`, { mode: 0o600 });
    await closeToOthers(path);
    const serverId = await readServerId(path);
    const socketsFolder = await makeSocketsFolder(path);
    return {
      ...directory,
      serverId,
      socketsFolder,
      async release() {
        await rm(socketsFolder, { recursive: true, force: true });
        lock.close();
      },
    };
  } catch (cause) {
    lock.close();
    throw cannotUse(path, cause);
  }
}

/** Whether a server has the directory, in whatever container. Undefined: no server has had it yet. */
export async function isLocked(path: string): Promise<boolean | undefined> {
  if (!(await stat(join(path, lockFile)).catch(undefinedIfAbsent))) return undefined;
  try {
    (await claim(path)).close();
    return false;
  } catch (error) {
    // Nobody can have one that is damaged.
    return error instanceof DataDirectoryInUseError;
  }
}

const lockFile = 'lock';
const ownerFile = 'server.pid';
/** In the data directory of every server, also where it does not run. */
export const serverIdFile = 'server-id';

/** A mistyped path must not fill a home folder with repositories, or put a database among other files. */
async function refuseStrangeFolder(path: string): Promise<void> {
  const entries = await readdir(path).catch((error: unknown) => {
    if (isAbsent(error)) return undefined;
    throw error;
  });
  // A fresh volume has this folder of its own.
  const unknownEntries = entries?.filter((name) => name !== 'lost+found') ?? [];
  if (unknownEntries.length > 0 && !unknownEntries.includes(lockFile)) {
    throw new OperatorError(
      `The folder ${path} is not empty and is not a data directory. Use an empty or a new folder.`,
    );
  }
  if (entries) await refuseOpenFolder(path);
}

async function refuseOpenFolder(path: string): Promise<void> {
  const { mode } = await stat(path);
  if ((mode & 0o022) === 0) return;
  throw new OperatorError(
    `Other users can write to the data directory ${path}. Restrict access: chmod go-w ${path}`,
  );
}

/**
 * Node has no flock, but SQLite holds the same kind of lock: the system gives it up with the process, even a killed
 * one, and sees it across containers that share the folder.
 */
async function claim(path: string): Promise<DatabaseSync> {
  let lock: DatabaseSync | undefined;
  try {
    lock = new DatabaseSync(join(path, lockFile), { timeout: 0 });
    // Without a journal of its own file, it needs no space on the disk.
    lock.exec('pragma journal_mode = memory; begin exclusive');
    return lock;
  } catch (cause) {
    lock?.close();
    if (!isBusy(cause)) throw cannotLock(path, cause);
    const owner = await readFile(join(path, ownerFile), 'utf8').catch(() => 'unknown');
    throw new DataDirectoryInUseError(path, owner.trim(), { cause });
  }
}

/** SQLITE_BUSY, of which there are several kinds. All else is a fault of the disk or of the file. */
function isBusy(error: unknown): boolean {
  return error instanceof Error && 'errcode' in error && (Number(error.errcode) & 0xff) === 5;
}

function cannotLock(path: string, cause: unknown): OperatorError {
  const reason = cause instanceof Error ? cause.message : String(cause);
  return new OperatorError(
    `Cannot lock the data directory ${path} with its file "${lockFile}": ${reason}. Check the space and the permissions there; where that file is not empty, delete it while no server runs.`,
    { cause },
  );
}

/** A damaged one is replaced: what the server had claimed under it is then taken over like that of a server that died. */
async function readServerId(path: string): Promise<string> {
  const file = join(path, serverIdFile);
  const present = await readFile(file, 'utf8').catch(undefinedIfAbsent);
  if (present !== undefined && /^[0-9a-f-]{36}\n$/.test(present)) return present.trim();
  const created = systemRandom.id();
  await writeDurably(file, `${created}\n`);
  return created;
}

/** On the disk, under its name, before this returns: what the identity has claimed must be its own again after a cut of power. */
async function writeDurably(file: string, text: string): Promise<void> {
  const unfinished = `${file}.new`;
  await writeFile(unfinished, text, { mode: 0o600, flush: true });
  await rename(unfinished, file);
  const folder = await open(dirname(file), 'r');
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}

/** Emptied first: a killed server leaves its sockets. */
async function makeSocketsFolder(path: string): Promise<string> {
  const folder = join(path, 'sockets');
  // The address of a Unix socket has at most 107 bytes.
  if (Buffer.byteLength(folder) > 80) return mkdtemp(join(tmpdir(), 'hob-sockets-'));
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { mode: 0o700 });
  return folder;
}

function undefinedIfAbsent(error: unknown): undefined {
  if (!isAbsent(error)) throw error;
}

function isAbsent(error: unknown): boolean {
  return errorCode(error) === 'ENOENT';
}
